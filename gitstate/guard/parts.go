package guard

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/git-resume/git-resume/internal/flock"
)

// In a mark file, a line with this prefix contains the path of a temporary file into which git is writing an object.
const partLine = "part "

// partName matches the temporary files of objects and packs. Their names end in six characters that git chooses.
var partName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^objects/(?:(?:pack|[0-9a-f]{2})/)?tmp_(?:obj|pack|idx|rev)_\w{6}$`)
})

// NotePart adds a file to the mark file if it is a temporary file into which git writes an object. The returned function removes the file
// from the mark file. For any other file, that function is nil.
func (g *Mark) NotePart(path string) (forget func(), err error) {
	rel, err := filepath.Rel(g.root, path)
	if err != nil || !partName().MatchString(filepath.ToSlash(rel)) {
		return nil, nil
	}
	return g.add([]string{partLine + rel})
}

// sweepParts removes the partly written objects that a mark file lists. A git process that was killed has left them. The caller has seen
// that the mark file is unlocked. So that git process has ended, and nobody has these files open.
func (r *Dir) sweepParts(mark string) error {
	for line := range strings.Lines(string(flock.Read(mark))) {
		name, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), partLine)
		if !ok || !partName().MatchString(name) || !hasNoLinks(r.common, filepath.Dir(filepath.FromSlash(name))) {
			continue
		}
		path := r.path(filepath.FromSlash(name))
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

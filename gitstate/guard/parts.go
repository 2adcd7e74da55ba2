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

// partLine begins the line of a mark that names what git writes of an object before it has its name.
const partLine = "part "

// partName is how git calls what it writes of objects and packs, by its own choice of six letters.
var partName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^objects/(?:(?:pack|[0-9a-f]{2})/)?tmp_(?:obj|pack|idx|rev)_\w{6}$`)
})

// NotePart names what git has begun to write of an object; others are left alone, and forget is nil.
func (g *Mark) NotePart(path string) (forget func(), err error) {
	rel, err := filepath.Rel(g.root, path)
	if err != nil || !partName().MatchString(filepath.ToSlash(rel)) {
		return nil, nil
	}
	return g.add([]string{partLine + rel})
}

// sweepParts removes what a git of ours that was killed had written of objects. Its mark is free, so that nobody has it open.
func (r *Dir) sweepParts(mark string) error {
	for line := range strings.Lines(string(flock.Read(mark))) {
		name, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), partLine)
		if !ok || !partName().MatchString(name) || !isPlain(r.common, filepath.Dir(filepath.FromSlash(name))) {
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

package specloop

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
)

// hasSpec reports whether the specification exists and is not empty, in the worktree from which the state was read. A file that cannot be
// read counts as existing.
func (l *loop) hasSpec() bool {
	if l.spec == nil {
		data, err := l.home.Read(l.specFile())
		there := err != nil && !errors.Is(err, fs.ErrNotExist) || strings.TrimSpace(string(data)) != ""
		l.spec = &there
	}
	return *l.spec
}

// specFile returns the path of the specification. It is the file that the index names if that file exists, and otherwise spec.md in the
// folder of the feature.
func (l *loop) specFile() string {
	own := path.Join(l.dir, "spec.md")
	if l.x == nil {
		return own
	}
	for _, fields := range []map[string]string{l.x.meta, l.x.loop} {
		named := strings.ReplaceAll(cmp.Or(fields["spec file"], fields["spec_file"], fields["spec path"], fields["specification file"]), `\`, "/")
		if rel, err := filepath.Rel(l.home.WorkTree, filepath.FromSlash(named)); err == nil && path.IsAbs(named) {
			named = filepath.ToSlash(rel)
		}
		for _, at := range []string{named, path.Join(l.dir, named)} {
			if named != "" && sources.IsBelow(at) && at != l.dir && l.home.Has(at) {
				return path.Clean(at)
			}
		}
	}
	return own
}

// specName returns the name of the specification for messages: the file name, or the path if the file is in another folder.
func (l *loop) specName() string {
	if at := l.specFile(); path.Dir(at) != l.dir {
		return at
	}
	return path.Base(l.specFile())
}

package agentmemory

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// read gives a file of a worktree; one that is there and cannot be read is a doubt.
func (r *run) read(t sources.Tree, full string) ([]byte, bool) {
	data, err := t.Read(full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false
	case err != nil:
		r.refuse(full, err)
		return nil, false
	}
	r.seen(t, full)
	return data, true
}

// seen notes a state file of a worktree.
func (r *run) seen(t sources.Tree, full string) {
	if r.files == nil {
		r.files = map[string][]string{}
	}
	if !slices.Contains(r.files[t.WorkTree], full) {
		r.files[t.WorkTree] = append(r.files[t.WorkTree], full)
	}
}

// has reports whether a document is there, in any worktree. An empty one is not: its writing was interrupted.
func (r *run) has(name string) bool {
	for _, t := range r.trees {
		full := path.Join(r.dir, name)
		switch size := t.Size(full); {
		case size > 0:
			r.seen(t, full)
			return true
		case size == 0:
			r.doubt(sources.DoubtDamaged, conflicts.Warning, full, "is empty")
		}
	}
	return false
}

func (r *run) doubt(code string, grade conflicts.Severity, path, format string, args ...any) {
	if len(r.doubts) < mostDoubts {
		r.doubts = append(r.doubts, sources.Doubt{Code: code, Severity: grade, Path: path, Text: path + " " + fmt.Sprintf(format, args...)})
	}
}

// refuse notes that something is there and was not read.
func (r *run) refuse(path string, err error) {
	if d := sources.DoubtOf(err, path); len(r.doubts) < mostDoubts {
		r.doubts = append(r.doubts, d)
	}
}

// mostDoubts is how many are told: whoever spoils a thousand lines has made the point with the first.
const mostDoubts = 40

package agentmemory

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// memoryDir is the folder that contains the runs. ownActor is the name under which git-resume writes its own events, and the name of their
// folder.
const (
	memoryDir = ".agent-memory"
	ownActor  = "git-resume"
)

// memory is the folder of one run, in all worktrees that contain it.
type memory struct {
	ctx    context.Context
	view   *sources.View
	id     string
	dir    string
	trees  []sources.Tree
	doubts sources.Doubts
	files  map[string][]string // maps each worktree to the state files that were found in it
}

// read returns a file of a worktree. If the file exists but cannot be read, it adds a warning.
func (r *memory) read(t sources.Tree, full string) ([]byte, bool) {
	data, err := t.Read(full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false
	case err != nil:
		r.doubts.Refuse(full, err)
		return nil, false
	}
	r.seen(t, full)
	return data, true
}

func (r *memory) seen(t sources.Tree, full string) {
	if r.files == nil {
		r.files = map[string][]string{}
	}
	if !slices.Contains(r.files[t.WorkTree], full) {
		r.files[t.WorkTree] = append(r.files[t.WorkTree], full)
	}
}

// has reports whether a document exists in any worktree. An empty document does not count, because it may result from an
// interrupted write.
func (r *memory) has(name string) bool {
	for _, t := range r.trees {
		full := path.Join(r.dir, name)
		switch size := t.Size(full); {
		case size > 0:
			r.seen(t, full)
			return true
		case size == 0:
			r.doubts.About(sources.DoubtDamaged, conflicts.Warning, full, "is empty")
		}
	}
	return false
}

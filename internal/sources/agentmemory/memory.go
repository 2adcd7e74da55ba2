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

// memoryDir holds the runs, each in its own folder; ownActor is the actor of our own events, and the name of their folder.
const (
	memoryDir = ".agent-memory"
	ownActor  = "git-resume"
)

// memory is the folder of one run, in every worktree that has it.
type memory struct {
	ctx    context.Context
	view   *sources.View
	id     string
	dir    string
	trees  []sources.Tree
	doubts sources.Doubts
	files  map[string][]string // the state files that were seen, by worktree
}

// read returns a file of a worktree; a file that exists but cannot be read is reported as a doubt.
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

// seen records a state file of a worktree.
func (r *memory) seen(t sources.Tree, full string) {
	if r.files == nil {
		r.files = map[string][]string{}
	}
	if !slices.Contains(r.files[t.WorkTree], full) {
		r.files[t.WorkTree] = append(r.files[t.WorkTree], full)
	}
}

// has reports whether a document exists in any worktree. An empty one does not count, because its writing was interrupted.
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

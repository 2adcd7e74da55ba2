package ongoing

import (
	"context"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
)

// reading is a look at one worktree.
type reading struct {
	ctx   context.Context
	repo  *gitstate.Repo
	files *files
	// shared are locks that belong to no worktree alone; the main one tells of them.
	shared []string

	unmerged []string
	asked    bool
	moved    *string // what HEAD's log says last, once it was looked at
	err      error
}

// unresolved are the unmerged paths; git is asked once, and only if there may be some.
func (x *reading) unresolved() []string {
	if x.asked {
		return x.unmerged
	}
	x.asked = true
	if x.repo.WorkTree == "" || indexIsMerged(x.repo) {
		return nil
	}
	out, err := x.repo.Git(x.ctx, process.Call{Args: []string{"ls-files", "-u", "-z", "--full-name"}})
	if err != nil {
		x.err = err
		return nil
	}
	for rec := range strings.SplitSeq(string(out), "\x00") {
		if _, path, ok := strings.Cut(rec, "\t"); ok {
			x.unmerged = append(x.unmerged, path)
		}
	}
	x.unmerged = slices.Compact(x.unmerged) // each stage has a line
	return x.unmerged
}

// conflictOr is the stop of an operation that waits for paths to be resolved, or for something else.
func (x *reading) conflictOr(other Stop) (Stop, []string) {
	if paths := x.unresolved(); len(paths) > 0 {
		return StopConflict, paths
	}
	return other, nil
}

func (x *reading) branch() refs.Name {
	branch, _, _ := x.repo.Refs.Head(x.ctx)
	return branch
}

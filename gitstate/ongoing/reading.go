package ongoing

import (
	"context"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/index"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
)

// reading collects what is known about one worktree while its state is read.
type reading struct {
	ctx   context.Context
	repo  *gitstate.Repo
	files *files
	// The field "shared" lists the locks that do not belong to a single worktree. They are reported for the main worktree.
	shared []string

	unmerged     []string
	asked        bool
	lastMoveText *string // the newest message in HEAD's reflog; nil until it is read
	err          error
}

// The method "unresolved" lists the unmerged paths. It asks git once, and only if there may be such paths.
func (x *reading) unresolved() []string {
	if x.asked {
		return x.unmerged
	}
	x.asked = true
	if x.repo.WorkTree == "" || index.Merged(x.repo.GitDir, x.repo.CommonDir) {
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
	x.unmerged = slices.Compact(x.unmerged) // git prints an unmerged path once for each of its stages
	return x.unmerged
}

// conflictOr returns StopConflict and the unmerged paths, or the given stop if no path is unmerged.
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

package site

import (
	"fmt"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/internal/flock"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// HalfRestored is a worktree in which a restore was interrupted, so that its files may be a mix of two states.
type HalfRestored struct {
	*snapshot.Unfinished
	// Tree is the path of the worktree.
	Tree string
}

// HalfRestoredError says that a worktree must not be used before the restore in it is finished or undone.
type HalfRestoredError struct{ HalfRestored }

func (e *HalfRestoredError) Error() string {
	return fmt.Sprintf("a restore was interrupted in '%s', so its files may be a mix of two states", e.Tree)
}

// HalfRestoredAt returns the restore that was interrupted in a worktree, or nil if there is none. A restore that is still running is not
// interrupted.
func HalfRestoredAt(repo *gitstate.Repo, p locate.Place) *HalfRestored {
	if snapshot.FindUnfinished(p.GitDir) == nil || flock.Held(TreeLock(repo, AdminOf(p))) {
		return nil
	}
	u := snapshot.FindUnfinished(p.GitDir) // look again, because the restore may have ended before its lock was examined
	if u == nil {
		return nil
	}
	return &HalfRestored{Unfinished: u, Tree: p.WorkTree}
}

// AllHalfRestored lists those of the given worktrees in which a restore was interrupted. It leaves out worktrees whose folder is missing.
func AllHalfRestored(repo *gitstate.Repo, trees []gitstate.Linked) (out []HalfRestored) {
	for _, l := range trees {
		if h := HalfRestoredAt(repo, l.Place); h != nil && !l.Missing {
			out = append(out, *h)
		}
	}
	return out
}

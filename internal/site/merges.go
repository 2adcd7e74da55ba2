package site

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/flock"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/worktree/forward"
)

// MergeMover notes in a file which files a merge of a run changes in the worktree of the base, and restores them after a kill.
func MergeMover(tree *gitstate.Repo, branch refs.Name, run checkpoint.RunID) forward.Mover {
	return forward.Mover{Tree: tree, Note: mergeNote(tree, tree.Place), Locks: MoveLocks(tree, branch), Run: string(run)}
}

func mergeNote(repo *gitstate.Repo, p locate.Place) string {
	return repo.CommonPath("resume", "merging", AdminOf(p))
}

// HalfMerged is a worktree in which a merge of a run was interrupted while git changed the files, so that they may be a mix of two states.
type HalfMerged struct{ Run, Tree string }

// HalfMergedError says that a worktree must not be used before the merge in it is finished or taken back.
type HalfMergedError struct{ HalfMerged }

func (e *HalfMergedError) Error() string {
	return fmt.Sprintf("the merge of run '%s' was interrupted in '%s', so its files may be a mix of two states", e.Run, e.Tree)
}

// UnfinishedMerge returns the merge that was interrupted in a worktree, or nil if there is none. The caller holds the lock of the worktree.
// If git itself says that a merge is in progress, git has written all files, so that the result is nil too.
func UnfinishedMerge(tree *gitstate.Repo) *HalfMerged {
	m := MergeMover(tree, "", "")
	if !process.IsThere(m.Note) || ongoing.OperationIn(tree) == ongoing.Merge {
		return nil
	}
	_, head, err := tree.Refs.Head(context.Background())
	if n, ok := m.Unfinished(head); err == nil && ok {
		return &HalfMerged{Run: n.Run, Tree: tree.WorkTree}
	}
	return nil
}

// AllHalfMerged lists those of the given worktrees in which a merge was interrupted. A merge that is still running is not interrupted.
func AllHalfMerged(repo *gitstate.Repo, trees []gitstate.Linked) (out []HalfMerged) {
	for _, l := range trees {
		if l.Missing || !process.IsThere(mergeNote(repo, l.Place)) {
			continue
		}
		if h := halfMergedAt(repo, l.Place); h != nil {
			out = append(out, *h)
		}
	}
	return out
}

func halfMergedAt(repo *gitstate.Repo, p locate.Place) *HalfMerged {
	tree := repo.At(p)
	defer tree.Close()
	if UnfinishedMerge(tree) == nil || flock.Held(TreeLock(repo, AdminOf(p))) {
		return nil
	}
	return UnfinishedMerge(tree) // look again, because the merge may have ended before its lock was examined
}

// AwaitMerge waits for a git that an interrupted merge has left running in the worktree, because it still changes files and may move the
// base.
func (e *Site) AwaitMerge(tree *gitstate.Repo) error {
	if UnfinishedMerge(tree) == nil {
		return nil
	}
	const look = 20 * time.Millisecond
	for waited := time.Duration(0); ; waited += look {
		at, _ := process.Workers(tree.Place, tree.Guard, e.Procs)
		at = slices.DeleteFunc(at, func(p proc.Process) bool { return e.Procs.Descends(e.PID, p.PID, p.Start) }) // a hook may have called us
		switch {
		case len(at) == 0:
			return nil
		case waited >= OperationPatience:
			return &flock.StuckError{Path: MoveLocks(tree, "")[0], PID: at[0].PID, Waited: waited}
		}
		time.Sleep(look)
	}
}

package discard

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/site"
)

// BaseMovedError says that a merge cannot be undone because the base has moved since the merge.
type BaseMovedError struct {
	Base      string
	Want, Now object.ID
	// From is the commit of the base before the merge.
	From object.ID
	// Redo is true if the user wanted to reverse the undo of a merge, which would merge Run again.
	Redo bool
	Run  checkpoint.RunID
	// Own is true if the merge made a merge commit whose first parent is the base. Otherwise the base was fast-forwarded.
	Own bool
	// Single is true if the merge added a single commit, as a squash does.
	Single bool
	// Straight is true if none of the run's commits is a merge commit.
	Straight bool
}

func (e *BaseMovedError) Error() string {
	return fmt.Sprintf("branch '%s' has moved since: it is at %s, not at %s", e.Base, e.Now.Short(), e.Want.Short())
}

// moveBase moves the base back to its commit before a merge. To reverse the undo of a merge, it moves the base forward again.
// The base moves before the move is recorded. If the process is killed before recording, the next try only has to record the move.
func (e *Undoer) moveBase(ctx context.Context, id checkpoint.RunID, what checkpoint.Event) error {
	from, to := what.Commit, what.BaseTip
	if what.Event == checkpoint.Undone {
		merge, err := e.undoneMerge(ctx, id, what)
		if err != nil || merge == nil {
			return err
		}
		from, to = merge.BaseTip, merge.Commit
	} else if what.Event != checkpoint.RunMerged {
		return nil
	}
	j, err := e.Store.Load(ctx, id)
	if err != nil {
		return err
	}
	now, err := e.Repo.Refs.Ref(ctx, refs.Branch(j.Run.Base.Name))
	switch {
	case err != nil || now == to:
		return err
	case now != from:
		moved := &BaseMovedError{Base: j.Run.Base.Name, Want: from, Now: now, From: to, Run: id, Redo: what.Event == checkpoint.Undone && !e.isAncestor(ctx, to, from)}
		return e.describeMove(ctx, moved)
	}
	tree, err := e.BaseTree(ctx, &j.Run)
	if err != nil {
		return err
	}
	defer tree.Close()
	// Refresh the index first, because git treats a file with a new timestamp as changed. Ignore an error: some files may really be changed.
	_, _ = tree.Git(ctx, process.Call{
		Args: []string{"update-index", "-q", "--refresh"}, Mode: process.Write, Locks: site.MoveLocks(tree, refs.Branch(j.Run.Base.Name)),
	})
	// reset --keep preserves uncommitted work, and refuses if it cannot.
	_, err = tree.Git(ctx, process.Call{
		Args: []string{"reset", "-q", "--keep", string(to)}, Mode: process.Write, Locks: site.MoveLocks(tree, refs.Branch(j.Run.Base.Name)),
	})
	return err
}

// describeMove completes the error for a base that has moved since the merge.
// The error then says how the user can revert the merge with new commits.
func (e *Undoer) describeMove(ctx context.Context, out *BaseMovedError) error {
	if out.Redo {
		return out
	}
	c, err := e.Repo.Objects.Commit(ctx, string(out.Want))
	if err != nil {
		return errors.Join(out, err)
	}
	out.Own = len(c.Parents) > 1 && c.Parents[0] == out.From
	out.Single = len(c.Parents) == 1 && c.Parents[0] == out.From
	merges, err := e.Repo.Line(ctx, "rev-list", "--merges", "-1", string(out.Want), "^"+string(out.From))
	out.Straight = err == nil && merges == ""
	return out
}

func (e *Undoer) isAncestor(ctx context.Context, a, b object.ID) bool {
	_, err := e.Repo.Line(ctx, "merge-base", "--is-ancestor", string(a), string(b))
	return err == nil
}

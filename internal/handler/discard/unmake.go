package discard

import (
	"context"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
)

// RemovedWorktree is a worktree that was created to continue another system's work and that an undo removes.
type RemovedWorktree struct {
	Path string
	// Branch is the branch that was created together with the worktree; empty if the branch existed before. The field "at" holds the commit
	// that is checked out in the worktree.
	Branch refs.Name
	at     object.ID
}

// findUnchangedWorktree finds the worktree that was created when the work was continued. It returns nil if the worktree is in use, or if
// something has changed in it.
func (e *Undoer) findUnchangedWorktree(ctx context.Context, r *checkpoint.Run, what checkpoint.Event) *RemovedWorktree {
	made, ok := e.creationRecord(ctx, r.ID, what)
	if !ok {
		return nil
	}
	place, there := e.Adopt.RegisteredAt(made.Worktree)
	if !there || place.GitDir == place.CommonDir || place.WorkTree == e.Repo.WorkTree || e.Dropping.refuseIfUsed(r.ID, place.WorkTree, nil) != nil {
		return nil
	}
	tree := e.Repo.At(place)
	now, err := tree.ReadState(ctx)
	ref := refs.Branch(now.Branch)
	if err != nil || len(now.Changes) > 0 || len(now.Ignored) > 0 || now.Branch == "" || ref != r.Branch {
		return nil
	}
	if hidden, err := tree.Hidden(ctx); err != nil || len(hidden) > 0 {
		return nil
	}
	u := &RemovedWorktree{Path: place.WorkTree, at: now.Head}
	if made.Head != "" { // the branch existed before the worktree, so an undo does not remove it
		if now.Head != made.Head {
			return nil
		}
		return u
	}
	if !e.branchUnmoved(ctx, tree, r, ref, now.Head) {
		return nil
	}
	u.Branch = ref
	return u
}

// creationRecord returns the journal line that records the creation of a worktree by the process that wrote the given event. It returns
// false if there is none.
func (e *Undoer) creationRecord(ctx context.Context, id checkpoint.RunID, what checkpoint.Event) (checkpoint.Event, bool) {
	lines, err := e.Store.Lines(ctx, id)
	if err != nil {
		return checkpoint.Event{}, false
	}
	for _, l := range lines {
		if l.Ours && l.Event.Event == checkpoint.RunResumed && l.Event.Worktree != "" && writer(l.Event) == writer(what) {
			return l.Event, true
		}
	}
	return checkpoint.Event{}, false
}

// branchUnmoved reports whether a branch has no work of its own: the reflog shows no move since its creation, and the base contains the
// commit "at".
func (e *Undoer) branchUnmoved(ctx context.Context, tree *gitstate.Repo, r *checkpoint.Run, ref refs.Name, at object.ID) bool {
	moves, err := tree.Refs.Log(ctx, ref)
	if err != nil || len(moves) > 1 {
		return false
	}
	base := r.Base.Commit
	if r.Base.Name != "" {
		if tip, err := tree.Refs.Ref(ctx, refs.BranchOf(r.Base.Name)); err == nil && tip != "" {
			base = tip
		}
	}
	inBase, err := past.IsAncestor(ctx, tree, at, base)
	return err == nil && inBase
}

// removeCreatedWorktree removes the worktree that a continuation created, and the branch if that was created with it. It returns nil if
// the worktree stays, for example because it has changed.
func (e *Undoer) removeCreatedWorktree(ctx context.Context, r *checkpoint.Run, what checkpoint.Event) *RemovedWorktree {
	u := e.findUnchangedWorktree(ctx, r, what)
	if u == nil {
		return nil
	}
	if _, err := e.Repo.Git(ctx, process.Call{Args: []string{"worktree", "remove", u.Path}, Mode: process.Write}); err != nil {
		return nil
	}
	if u.Branch != "" && e.Repo.Refs.Update(ctx, refs.Update{Ref: u.Branch, Old: u.at}) != nil {
		u.Branch = "" // the branch could not be removed, for example because somebody moved it
	}
	return u
}

package tasks

import (
	"context"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/refs"
)

// StrangeCommits are those on a run's branch, newest first, that no line of ours accounts for and that were not made in this clone.
func (e *Tasks) StrangeCommits(ctx context.Context, r *checkpoint.Run) ([]object.Commit, error) {
	tip, err := e.Store.History().BranchTip(ctx, r)
	if err != nil || tip == "" || tip == r.Head || r.Head == "" {
		return nil, err
	}
	made, err := e.madeHere(ctx, r, tip)
	if err != nil || made {
		return nil, err
	}
	return e.Store.History().Between(ctx, r.Head, tip, MaxStrange)
}

// madeHere reports whether the branch came from the last recorded commit to its tip by commits that were made here,
// or taken in from its own base, as its reflog tells: that is kept by this clone and never fetched.
func (e *Tasks) madeHere(ctx context.Context, r *checkpoint.Run, tip object.ID) (bool, error) {
	if r.Branch == "" {
		return true, nil // a detached worktree moves by the user's own hand only
	}
	steps, err := e.Repo.Refs.Log(ctx, r.Branch)
	if err != nil {
		return false, err
	}
	base, err := e.Repo.Refs.Ref(ctx, refs.Branch(r.Base.Name))
	if err != nil {
		return false, err
	}
	at := tip
	for _, s := range steps { // newest first
		if s.Old == s.New && s.New == at {
			continue // a rename moves nothing
		}
		if s.New != at || !byHand(s.Message) && !e.fromBase(ctx, s, base) {
			return false, nil
		}
		if at = s.Old; at == r.Head {
			return true, nil
		}
	}
	return false, nil
}

// fromBase reports a move that took in nothing but the run's base as it is here: by a fast-forward, a merge or a rebase.
func (e *Tasks) fromBase(ctx context.Context, s refs.Move, base object.ID) bool {
	within := func(id object.ID) bool {
		yes, err := past.IsAncestor(ctx, e.Repo, id, base)
		return err == nil && yes
	}
	if base == "" {
		return false
	}
	if rest, ok := strings.CutPrefix(s.Message, "rebase (finish): "); ok {
		_, onto, _ := strings.Cut(rest, " onto ")
		return object.IsID(onto) && within(object.ID(onto))
	}
	c, err := e.Repo.Objects.Commit(ctx, string(s.New))
	if err == nil && len(c.Parents) == 2 {
		return c.Parents[0] == s.Old && within(c.Parents[1])
	}
	return err == nil && within(s.New)
}

// byHand: whoever works in this clone wrote that very commit. A merge, a pull, a rebase or a pick brings others' commits in.
func byHand(message string) bool {
	return slices.ContainsFunc([]string{"commit:", "commit (amend):", "git-resume", "revert:"}, func(p string) bool { return strings.HasPrefix(message, p) })
}

// MaxStrange bounds how many commits are listed.
const MaxStrange = 200

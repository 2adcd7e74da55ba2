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

// StrangeCommits lists the commits on a run's branch after the last one in the journal, newest first. It returns none if all of them were
// made in this clone or came from the run's base.
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

// madeHere reports whether all commits since the last recorded one were made in this clone or came from the run's base. It reads the
// branch's reflog, which only this clone writes.
func (e *Tasks) madeHere(ctx context.Context, r *checkpoint.Run, tip object.ID) (bool, error) {
	if r.Branch == "" {
		return true, nil // without a run branch, all commits are the user's own
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
	for _, s := range steps { // from the newest move of the branch to the oldest
		if s.Old == s.New && s.New == at {
			continue // renaming a branch adds an entry with two equal ids to the reflog, but does not move the branch
		}
		if s.New != at || !committedHere(s.Message) && !e.fromBase(ctx, s, base) {
			return false, nil
		}
		if at = s.Old; at == r.Head {
			return true, nil
		}
	}
	return false, nil
}

// fromBase reports whether one move of the branch was an update from the run's base: a fast-forward, a merge or a rebase.
func (e *Tasks) fromBase(ctx context.Context, s refs.Move, base object.ID) bool {
	within := func(id object.ID) bool {
		yes, err := past.IsAncestor(ctx, e.Repo, id, base)
		return err == nil && yes
	}
	if base == "" {
		return false
	}
	if onto, ok := rebasedOnto(s.Message); ok {
		return within(onto)
	}
	c, err := e.Repo.Objects.Commit(ctx, string(s.New))
	if err == nil && len(c.Parents) == 2 {
		return mergedHere(s.Message) && c.Parents[0] == s.Old && within(c.Parents[1])
	}
	return err == nil && within(s.New)
}

// rebasedOnto returns the new base if a reflog message says that a rebase was finished. In git before 2.39, the message also says how the
// rebase was continued, as in "rebase (continue) (finish): refs/heads/x onto 1a2b…".
func rebasedOnto(message string) (object.ID, bool) {
	how, rest, ok := strings.Cut(message, " (finish): ")
	_, onto, _ := strings.Cut(rest, " onto ")
	return object.ID(onto), ok && (how == "rebase" || how == "rebase (continue)" || how == "rebase (skip)") && object.IsID(onto)
}

// mergedHere reports whether a reflog message shows a merge that was made in this clone. It is false for a fast-forward to somebody else's
// merge, which may contain changes that none of its parents has.
func mergedHere(message string) bool {
	return strings.HasPrefix(message, "commit (merge):") || strings.Contains(message, ": Merge made by ") || strings.HasSuffix(message, ": In-index merge")
}

// committedHere reports whether a reflog message shows a commit that was made in this clone. Other operations, such as a pull or a rebase,
// may add commits of other people.
func committedHere(message string) bool {
	return slices.ContainsFunc([]string{"commit:", "commit (amend):", "git-resume", "revert:"}, func(p string) bool { return strings.HasPrefix(message, p) })
}

// MaxStrange is how many commits StrangeCommits lists at most.
const MaxStrange = 200

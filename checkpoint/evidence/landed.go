package evidence

import (
	"context"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/refs"
)

// Landed lists commits that completed a task but are not recorded in the journal, for example because a process died between the commit
// and the record. Results that a reset has undone are left out. A commit that an update brought from the base is no result of the run,
// whatever its trailers say. If the whole branch was merged into the base, this cannot be told apart, and all commits count.
func (h *History) Landed(ctx context.Context, r *checkpoint.Run) ([]checkpoint.Evidence, error) {
	tip, err := h.BranchTip(ctx, r)
	if err != nil || tip == "" || tip == r.Head {
		return nil, err
	}
	revs := []string{string(tip)}
	if r.Head != "" {
		if _, err := h.Repo.Objects.Commit(ctx, string(r.Head)); err == nil {
			revs = append(revs, "^"+string(r.Head))
		}
	}
	if r.HasOwnBranch() {
		base, err := h.Repo.Refs.Ref(ctx, r.BaseBranch())
		if err != nil {
			return nil, err
		}
		if base != "" && base != tip && !h.Contains(ctx, base, tip) {
			revs = append(revs, "^"+string(base))
		}
	}
	all, err := h.Trailed(ctx, r.ID, revs...)
	if err != nil {
		return nil, err
	}
	var out []checkpoint.Evidence
	for _, e := range all {
		t := r.Task(e.Task)
		if e.Partial || e.Task == "" || t != nil && (t.State == checkpoint.Done || h.wasReset(ctx, t, e.Commit)) {
			continue
		}
		out = append(out, e)
	}
	return out, nil
}

// wasReset reports whether a commit has the same tree or the same patch as a result that a reset has undone. It returns false for a
// commit that does not have exactly one parent.
func (h *History) wasReset(ctx context.Context, t *checkpoint.Task, c object.Commit) bool {
	if len(t.Undone) == 0 || len(c.Parents) != 1 {
		return false
	}
	patch, err := past.PatchID(ctx, h.Repo, string(c.Parents[0]), string(c.ID))
	return slices.Contains(t.Undone, string(c.Tree)) || err == nil && patch != "" && slices.Contains(t.Undone, patch)
}

// BranchTip returns the current tip of the run's branch. If the run has no branch, it returns the worktree's HEAD.
func (h *History) BranchTip(ctx context.Context, r *checkpoint.Run) (object.ID, error) {
	if r.Branch != "" {
		return h.Repo.Refs.Ref(ctx, r.Branch)
	}
	_, at, err := h.Repo.Refs.Head(ctx)
	return at, err
}

// Rebuild reconstructs a run without a journal in this clone. It uses the trailers of the commits on a branch. The run is marked as
// rebuilt, because it lacks the plan and all tasks without a commit.
func (h *History) Rebuild(ctx context.Context, id checkpoint.RunID, branch refs.Name) (*checkpoint.Run, error) {
	rev := string(branch)
	if at, err := h.Repo.Refs.Ref(ctx, branch); err == nil && at != "" {
		rev = string(at)
	}
	found, err := h.Trailed(ctx, id, rev)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, &checkpoint.NoRunError{ID: id}
	}
	r := checkpoint.Rebuilt(id, found)
	if branch.IsBranch() {
		r.Branch = branch
	}
	return r, nil
}

package evidence

import (
	"context"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
)

// Made describes the newest commit that was made for a task after the task started. The field Commit is empty if there is no such
// commit.
type Made struct {
	Commit object.ID
	// Partial is true if the trailers of the commit say that it does not complete the task.
	Partial bool
}

// MadeSince looks for a task's own commit between the HEAD at the start of the task and the current HEAD. The result is empty if it finds
// none.
func (h *History) MadeSince(ctx context.Context, id checkpoint.RunID, t *checkpoint.Task, head object.ID) (Made, error) {
	from, err := h.Repo.Objects.Commit(ctx, string(t.FromHead))
	if err != nil {
		return Made{}, nil // without the commit from which the task started, there is nothing to compare with
	}
	since, err := h.log(ctx, "--first-parent", string(head), "^"+string(from.ID))
	if err != nil {
		return Made{}, err
	}
	fresh := since
	rewritten := !h.Contains(ctx, head, from.ID)
	if rewritten {
		fresh, err = h.log(ctx, "--cherry-pick", "--right-only", string(from.ID)+"..."+string(head))
		if err != nil {
			return Made{}, err
		}
	}
	for _, c := range since {
		old := !slices.ContainsFunc(fresh, func(f object.Commit) bool { return f.ID == c.ID })
		if old || rewritten && c.Tree == from.Tree {
			return Made{}, nil // the commit only rewrites one that existed when the task started, so the task has made no commit
		}
		if own, partial := belongs(c, id, t.ID); own {
			return Made{c.ID, partial}, nil
		}
	}
	return Made{}, nil
}

// The function "belongs" reports whether a commit counts as a commit of the task: its trailers name the task, or it has no trailers of a
// run. The second result is true if the trailers say that the commit does not complete the task.
func belongs(c object.Commit, id checkpoint.RunID, task checkpoint.TaskID) (own, partial bool) {
	named := len(gitstate.TrailerValues(c.Message, checkpoint.TrailerRun)) > 0
	for _, e := range checkpoint.EvidenceOf(c, id) {
		named = true
		if e.Task == task {
			own, partial = true, e.Partial
		}
	}
	return own || !named, partial
}

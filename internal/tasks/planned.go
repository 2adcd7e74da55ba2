package tasks

import (
	"context"
	"fmt"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/internal/plan"
)

// PlanOf reads the plan that a run follows. For a run without a plan, it returns a plan without tasks.
func (e *Tasks) PlanOf(ctx context.Context, r *checkpoint.Run) (plan.Plan, error) {
	if r.Plan == "" {
		return plan.Plan{Name: r.Name}, nil
	}
	data, err := e.Store.Document(ctx, r.Plan)
	if err != nil {
		return plan.Plan{}, fmt.Errorf("read the plan of %s: %w", r.ID, err)
	}
	return plan.Decode(data)
}

// SetupTask is the name under which the setup command of a plan is run, logged and shown.
const SetupTask = "setup"

func SpecOf(p plan.Plan, id checkpoint.TaskID) plan.Task {
	for _, t := range p.Tasks {
		if t.ID == string(id) {
			return t
		}
	}
	return plan.Task{}
}

// Updated returns the git tree of the run's branch after an update: a merge of the base, or a rebase onto it, whose conflicts the user
// resolved. It returns an empty id if there was no update, or if the update is not complete. The user's resolutions count as work of the
// run, so finished tasks stay valid.
func Updated(ctx context.Context, repo *gitstate.Repo, r *checkpoint.Run, tip object.ID) object.ID {
	u := r.Updating
	if u == nil || u.Base == "" || tip == "" || tip == u.Head || ongoing.OperationIn(repo) != ongoing.NoOperation {
		return ""
	}
	if within, err := past.IsAncestor(ctx, repo, u.Base, tip); err != nil || !within {
		return "" // the branch does not contain the update
	}
	at := tip
	for range MaxAbove {
		c, err := repo.Objects.Commit(ctx, string(at))
		switch {
		case err != nil:
			return ""
		case u.How == UpdateByRebase, len(c.Parents) == 2:
			return c.Tree
		case len(c.Parents) == 0:
			return ""
		}
		at = c.Parents[0]
	}
	return ""
}

// MaxAbove is the maximum number of commits that a search examines, starting at the tip of a branch.
const MaxAbove = 50

// UpdateByRebase is the value, in the setting and in the journal, for an update that rebases the run's branch.
const UpdateByRebase = "rebase"

// Keep means that an interrupted task runs again, and that the files that it left are not removed.
const Keep plan.OnInterrupt = "keep"

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

// PlanOf reads the plan that a run follows.
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

// SetupTask names the preparation of the worktree where a task's name is wanted.
const SetupTask = "setup"

func SpecOf(p plan.Plan, id checkpoint.TaskID) plan.Task {
	for _, t := range p.Tasks {
		if t.ID == string(id) {
			return t
		}
	}
	return plan.Task{}
}

// Updated is the tree in which an update ended that git stopped in and the user brought to its end; empty if there is none.
// What the user resolved is how the run was left: no finished task is invalid because of it.
func Updated(ctx context.Context, repo *gitstate.Repo, r *checkpoint.Run, tip object.ID) object.ID {
	u := r.Updating
	if u == nil || u.Base == "" || tip == "" || tip == u.Head || ongoing.OperationIn(repo) != ongoing.NoOperation {
		return ""
	}
	if within, err := past.IsAncestor(ctx, repo, u.Base, tip); err != nil || !within {
		return "" // it was taken back
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

// MaxAbove is how many commits are looked at for unfinished work below them.
const MaxAbove = 50

// UpdateByRebase is the setting and the word for an update that rebases the run.
const UpdateByRebase = "rebase"

// Keep is the user's word that a cut-off task shall run again on top of what it left.
const Keep plan.OnInterrupt = "keep"

package resume

import (
	"context"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/plan"
)

// CauseConfirm is the cause of a stop before a task that needs a person's permission.
const CauseConfirm = "confirm"

// Confirming describes what a person must allow before a task's command runs.
type Confirming struct {
	Task plan.Task
	// Text is the question from the plan. It is empty if the plan has no question, and permission is needed only because of Again.
	Text string
	// Again is true if the command was started before, and must not run twice without permission.
	Again bool
}

// needsConfirmation returns what a person must confirm before a task runs.
// It returns nil if nothing must be confirmed, or if a person has confirmed it.
// Options such as --yes do not replace the confirmation. Otherwise a script could publish something twice.
func (x *executor) needsConfirmation(ctx context.Context, t plan.Task) (*Confirming, error) {
	if !t.Once && t.Confirm == "" || slices.Contains(x.q.Confirmed, t.ID) {
		return nil, nil
	}
	c := &Confirming{Task: t, Text: t.Confirm}
	if t.Once {
		var err error
		if c.Again, err = x.startedBefore(ctx, checkpoint.TaskID(t.ID)); err != nil {
			return nil, err
		}
	}
	if c.Text == "" && !c.Again {
		return nil, nil
	}
	return c, nil
}

// startedBefore reports whether a task's command was started before, here or elsewhere. It returns true if the run was rebuilt from its
// commits: these do not show whether the command was started.
func (x *executor) startedBefore(ctx context.Context, id checkpoint.TaskID) (bool, error) {
	r := x.run()
	if t := r.Task(id); t != nil && t.Attempts > 0 || r.Rebuilt {
		return true, nil
	}
	lines, err := x.Store.Lines(ctx, r.ID)
	return slices.ContainsFunc(lines, func(l checkpoint.Line) bool {
		return l.Event.Task == id && l.Event.Event == checkpoint.TaskStarted
	}), err
}

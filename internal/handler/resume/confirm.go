package resume

import (
	"context"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/plan"
)

// CauseConfirm is the cause of a run that stopped before a task which a person must allow.
const CauseConfirm = "confirm"

// Confirming describes what a person must allow before a task's command runs.
type Confirming struct {
	Task plan.Task
	// Text is what the plan asks; empty if only running the command a second time is in question.
	Text string
	// Again: the command was started before, and must not run twice without asking.
	Again bool
}

// needsConfirmation says what a person must allow before a task runs; nil if nothing is needed, or if it was allowed.
// No option can replace the person: a script that says yes to everything must not publish twice.
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

// startedBefore reports whether a task's command was started before, here or elsewhere. It is true if nobody can know, because
// a lost record does not change what was published.
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

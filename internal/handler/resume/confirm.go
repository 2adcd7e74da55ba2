package resume

import (
	"context"
	"errors"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/tasks"
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
		if c.Again, err = startedBefore(ctx, x.Store, x.run(), checkpoint.TaskID(t.ID)); err != nil {
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
func startedBefore(ctx context.Context, s *journal.Store, r *checkpoint.Run, id checkpoint.TaskID) (bool, error) {
	if t := r.Task(id); t != nil && t.Attempts > 0 || r.Rebuilt {
		return true, nil
	}
	lines, err := s.Lines(ctx, r.ID)
	return slices.ContainsFunc(lines, func(l checkpoint.Line) bool {
		return l.Event.Task == id && l.Event.Event == checkpoint.TaskStarted
	}), err
}

// pauses lets an execution end at a pause of the run.
type pauses struct{ x *executor }

// heed ends an execution if its error says that the run was paused. It records the results and the stop, so that the run also says why it
// stopped if the pause is undone later. Any other error is returned unchanged.
func (p pauses) heed(ctx context.Context, err error) error {
	if !errors.Is(err, execution.ErrPaused) {
		return err
	}
	if err := p.x.stop(ctx, execution.CausePaused); !errors.Is(err, errStopped) {
		return err
	}
	p.x.out.Paused = true
	return nil
}

// refuse returns execution.ErrPaused if the run is paused and the next step would ask somebody to continue it. The start of a command is
// refused elsewhere, when the runner records it. The end of the run is never refused, because nothing is left that the pause could hold up.
func (p pauses) refuse(ctx context.Context, kind tasks.StepKind) error {
	if !slices.Contains([]tasks.StepKind{tasks.StepAsk, tasks.StepConfirm, tasks.StepReport}, kind) || p.x.q.EndsPause {
		return nil
	}
	j, err := p.x.Store.Load(ctx, p.x.run().ID)
	if err == nil && j.Run.Paused {
		return execution.ErrPaused
	}
	return err
}

// note stores the event that paused the run in the result of the execution, so that the program can show at the end who paused the run, and
// why.
func (p pauses) note(ctx context.Context) error {
	if !p.x.run().Paused {
		return nil
	}
	lines, err := p.x.Store.Lines(ctx, p.x.run().ID)
	if err != nil {
		return err
	}
	for _, l := range slices.Backward(checkpoint.Sorted(lines)) {
		if l.Ours && !l.Bad && l.Event.Event == checkpoint.RunPaused && !checkpoint.IsUndone(lines, l.Event.ID) {
			p.x.out.Pause = &l.Event
			return nil
		}
	}
	return nil
}

// neverBegun describes an execution that did not begin, because somebody paused the run first.
func (e *Executer) neverBegun(ctx context.Context, id checkpoint.RunID) (*Executed, error) {
	j, err := e.Store.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	x := &executor{Site: e.Site, out: Executed{Journal: j, Paused: true}}
	return &x.out, pauses{x}.note(ctx)
}

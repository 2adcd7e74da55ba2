package resume

import (
	"context"
	"errors"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/tasks"
)

// pauses lets an execution end at a pause of the run.
type pauses struct{ x *executor }

// heed ends an execution that came to a pause of the run. It records the results and the stop, so that the run also says why it
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

// refuse returns execution.ErrPaused if the run is paused and the next step would ask somebody to continue it. Starts of commands
// are refused when they are recorded. The end of the run is not refused, because nothing is left that could wait.
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

// note stores who paused the run, and why, so that it can be shown where the execution ended.
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

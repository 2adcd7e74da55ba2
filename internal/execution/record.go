package execution

import (
	"context"
	"errors"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate/object"
)

// ErrPaused says that somebody has paused the run, so the command was not started.
var ErrPaused = errors.New("the run was paused")

// refusePaused returns ErrPaused if the run is paused and r.HeedPause is true. The caller must hold the lock of the journal until it has
// recorded the start of the task. Otherwise somebody could pause the run between this check and the record, and the record would end that
// pause, because the start of a task always does.
func (r *Runner) refusePaused(run *checkpoint.Run) error {
	if r.HeedPause && run.Paused {
		return ErrPaused
	}
	return nil
}

// recordStart records that the task starts, and earlier results that were not recorded yet.
func (r *Runner) recordStart(ctx context.Context, job Job, head object.ID, before checkpoint.WorktreeState, out *Outcome) error {
	j, err := r.Append(ctx, func(run *checkpoint.Run) ([]checkpoint.Event, error) {
		if err := r.refusePaused(run); err != nil {
			return nil, err
		}
		e := checkpoint.Event{
			Event: checkpoint.TaskStarted, Task: job.Task, Text: job.Why,
			Head: head, BaseTip: job.BaseTip, Worktree: r.Repo.WorkTree, Command: job.Hash(), ByHand: r.ByHand, Saved: job.Onto,
		}
		if job.Place > 0 {
			e.Head, e.Worktree, e.Place = "", "", &checkpoint.Place{N: job.Place, From: head}
		}
		Record(&e, before)
		return append(r.unrecordedResults(run), e), nil
	})
	if err != nil {
		return err
	}
	out.Journal, r.held = j, nil
	if t := j.Run.Task(job.Task); t != nil {
		out.Attempt = t.Attempt
	}
	if job.Begun != nil {
		job.Begun(j)
	}
	return nil
}

// Flush records the results that are still waiting to be recorded. If there are none, it returns a nil journal.
func (r *Runner) Flush(ctx context.Context) (*journal.Journal, error) {
	if len(r.held) == 0 {
		return nil, nil
	}
	j, err := r.Append(ctx, func(run *checkpoint.Run) ([]checkpoint.Event, error) { return r.unrecordedResults(run), nil })
	if err == nil {
		r.held = nil
	}
	return j, err
}

// unrecordedResults returns the waiting results that are not in the journal. A result may be in the journal although its write reported an
// error.
func (r *Runner) unrecordedResults(run *checkpoint.Run) []checkpoint.Event {
	return slices.DeleteFunc(slices.Clone(r.held), func(e checkpoint.Event) bool {
		t := run.Task(e.Task)
		return t != nil && t.State == checkpoint.Done && t.Attempt == e.Attempt && t.Commit == e.Commit
	})
}

package execution

import (
	"context"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/owner"
)

// Verify runs a task's check in its worktree, without recording or committing anything. ok is true if the check succeeds, which means that
// the task's result exists. If a signal ends the check, ok is false.
func (r *Runner) Verify(ctx context.Context, job Job, test string) (ok bool, out *Outcome, err error) {
	job.Shell, job.Args, job.Tool, job.Env = test, nil, false, nil
	lock, err := owner.LockTask(r.Store, job.Run, job.Place)
	if err != nil {
		return false, nil, err
	}
	defer lock.LetGo()
	out = &Outcome{Attempt: "verify-" + r.Store.NextID()}
	silent := *r
	silent.Streams = Streams{} // show no output to the user, because only the exit code matters; the log keeps the output
	if err := silent.command(ctx, job, lock, out); err != nil {
		return false, nil, err
	}
	return out.State == checkpoint.Done, out, lock.Retake()
}

// Unconfirmed says how a check ended that did not confirm that its task is done.
func Unconfirmed(out *Outcome) string {
	switch out.Cause {
	case CauseTimeout:
		return "its check exceeded the time limit"
	case CauseStart:
		return "its check could not be started"
	case CauseSignal:
		return "its check was ended by a signal"
	}
	return "its check says that it is not done"
}

// Accept records a task as done without running it, and commits the files that the task left, as the method finish does. The argument "why"
// is recorded with the task. It says that a user declared the task done, or is empty.
func (r *Runner) Accept(ctx context.Context, job Job, t checkpoint.Task, why string) (*Outcome, error) {
	out := &Outcome{Attempt: t.Attempt, State: checkpoint.Done, Vouched: why, Told: t.Reported}
	if err := r.finish(ctx, job, t.FromHead, out); err != nil {
		return out, err
	}
	if j, err := r.Flush(ctx); err != nil || j != nil {
		out.Journal = j
		return out, err
	}
	return out, nil
}

// Setup runs the command that prepares a new worktree, and records its start and its result. The changes that it makes are left for the
// first task's commit.
func (r *Runner) Setup(ctx context.Context, job Job) (*Outcome, error) {
	begun := r.Now()
	lock, err := owner.LockTask(r.Store, job.Run, job.Place)
	if err != nil {
		return nil, err
	}
	defer lock.LetGo()
	out := &Outcome{}
	record := func(e checkpoint.Event) error {
		e.BaseTip = job.BaseTip
		e.Attempt = out.Attempt
		j, err := r.Append(ctx, func(run *checkpoint.Run) ([]checkpoint.Event, error) {
			if e.Event == checkpoint.SetupStarted {
				return []checkpoint.Event{e}, r.refusePaused(run)
			}
			return []checkpoint.Event{e}, nil
		})
		if err == nil {
			out.Journal = j
			if j.Run.Setup != nil {
				out.Attempt = j.Run.Setup.Attempt
			}
		}
		return err
	}
	if err := record(checkpoint.Event{Event: checkpoint.SetupStarted, Text: job.Why, Command: job.Hash()}); err != nil {
		return nil, err
	}
	if err := r.command(ctx, job, lock, out); err != nil {
		return out, err
	}
	out.Took = r.Now().Sub(begun)
	if err := lock.Retake(); err != nil {
		return out, err
	}
	switch {
	case out.Cause == CauseFenced:
		return out, r.Check(ctx)
	case out.State == checkpoint.Done:
		return out, record(checkpoint.Event{Event: checkpoint.SetupDone, Command: job.Hash(), Left: limitPIDs(out.Left)})
	case out.State == checkpoint.Active:
		return out, record(checkpoint.Event{Event: checkpoint.RunStopped, Cause: out.Cause})
	}
	e := checkpoint.Event{Event: checkpoint.SetupFailed, Cause: out.Cause}
	if out.Cause == CauseExit {
		e.ExitCode = &out.Ended.Code
	}
	return out, record(e)
}

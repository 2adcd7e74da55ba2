package execution

import (
	"context"

	"github.com/git-resume/git-resume/checkpoint"
)

// Verify runs a task's test in its worktree: ok says that the task's effect is there.
// The test is run as a task is, but nothing is recorded or committed.
func (r *Runner) Verify(ctx context.Context, job Job, test string) (ok bool, err error) {
	job.Shell, job.Args = test, nil
	out := &Outcome{Attempt: "verify-" + r.Store.NextID()}
	silent := *r
	silent.Output, silent.ErrOutput, silent.Stdin, silent.TTY = nil, nil, nil, nil // its answer is its code
	if err := silent.command(job, out); err != nil {
		return false, err
	}
	return out.State == checkpoint.Done, ctx.Err()
}

// Accept records a task as done without running it, committing what it had left.
func (r *Runner) Accept(ctx context.Context, job Job, attempt string) (*Outcome, error) {
	_, head, err := r.Repo.Head(ctx)
	if err != nil {
		return nil, err
	}
	out := &Outcome{Attempt: attempt, State: checkpoint.Done}
	return out, r.finish(ctx, job, head, out)
}

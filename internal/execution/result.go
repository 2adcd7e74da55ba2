package execution

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/commit"
	"github.com/git-resume/git-resume/gitstate/object"
)

// finish records that the task is done, and usually first commits the command's uncommitted changes. It does not commit files that were
// changed by hand. In the user's own worktree it commits only what was changed since the task started. It commits nothing if the worker in a
// linked worktree reported the task itself. If a hook refuses the commit, the task fails.
func (r *Runner) finish(ctx context.Context, job Job, head object.ID, out *Outcome) error {
	if job.Place > 0 && out.Told {
		return r.landReported(ctx, job, head, out)
	}
	q := commit.Request{
		LogMessage: job.LogMessage(), Run: job.Run, Task: job.Task, Subject: job.subject(), Stage: commit.Everything,
		NoVerify: job.NoVerify, NoTrailers: job.NoTrailers, SignWithin: commit.SignWithin, Now: r.Now,
		Before: func() error {
			defer r.work()()
			return r.Check(ctx)
		},
	}
	var err error
	switch {
	case job.Own:
		q.Except, err = StillByHand(ctx, r.Repo, r.ByHand)
	case !job.Leave && !out.Told:
		q.Stage = commit.Exactly
		q.Paths, out.Others, err = OwnChanges(ctx, r.Repo, job.Onto, r.ByHand)
	}
	if err != nil {
		return err
	}
	if !job.Own && len(q.Paths) == 0 {
		return r.countOwn(ctx, job, head, out)
	}
	err = r.commit(ctx, out, q)
	if err != nil && out.Late != "" {
		out.State, out.Cause, out.Late = checkpoint.Active, out.Late, ""
		return r.fail(ctx, job, out)
	}
	var hook *commit.HookError
	if errors.As(err, &hook) {
		out.State, out.Cause = checkpoint.Failed, CauseHook
		out.Commit.HookOutput = fmt.Sprintf("the %s hook refused\n%s", hook.Hook, hook.Output)
		return r.fail(ctx, job, out)
	}
	if err != nil {
		return err
	}
	out.Made = !out.Commit.Empty
	if out.Commit.Empty && out.Commit.ID == head {
		out.Commit.ID = ""
	}
	if job.Place > 0 {
		return r.Land(ctx, job, out)
	}
	return r.recordDone(ctx, job, out)
}

// commit makes the task's commit. If a signal arrives meanwhile, commit sets out.Late to the cause of the signal, and ends the user's
// hooks, because they may take a long time. Even then the commit may have been made.
func (r *Runner) commit(ctx context.Context, out *Outcome, q commit.Request) (err error) {
	defer r.rest()()
	stop, made, watched := make(chan struct{}), make(chan struct{}), make(chan struct{})
	q.Stop = stop
	go func() {
		defer close(watched)
		select {
		case s := <-r.Signals:
			out.Late = CauseOf(s)
			close(stop)
		case <-made:
		}
	}()
	out.Commit, err = commit.Make(ctx, r.Repo, q)
	close(made)
	<-watched
	return err
}

func (j Job) subject() string {
	switch {
	case j.Subject != "":
		return j.Subject
	case j.Title != "":
		return j.Title
	default:
		return string(j.Task)
	}
}

// countOwn handles a task in the user's own worktree that leaves nothing to commit. If the command made commits itself, the last of them
// becomes the task's result.
func (r *Runner) countOwn(ctx context.Context, job Job, head object.ID, out *Outcome) error {
	_, now, err := r.Repo.Refs.Head(ctx)
	if err != nil {
		return err
	}
	if now != head && now != "" {
		c, err := r.Repo.Objects.Commit(ctx, string(now))
		if err != nil {
			return err
		}
		out.Commit = commit.Result{ID: c.ID, Tree: c.Tree}
	}
	return r.recordDone(ctx, job, out)
}

func (r *Runner) recordDone(ctx context.Context, job Job, out *Outcome) error {
	e := checkpoint.Event{
		Event: checkpoint.TaskDone, Task: job.Task, Attempt: out.Attempt, BaseTip: job.BaseTip,
		Commit: out.Commit.ID, Patch: out.Commit.Patch, Command: job.Hash(), Left: limitPIDs(out.Left), Text: out.Vouched,
	}
	if err := r.recordWorktree(ctx, job, &e); err != nil {
		return err
	}
	r.held = append(r.held, e)
	if r.Joined {
		return nil
	}
	j, err := r.Flush(ctx)
	if err == nil {
		out.Journal = j
	}
	return err
}

// recordWorktree records in an event how the task left the worktree.
func (r *Runner) recordWorktree(ctx context.Context, job Job, e *checkpoint.Event) error {
	branch, head, err := r.Repo.Refs.Head(ctx)
	if err != nil {
		return err
	}
	e.Head = head
	if branch != job.Branch && branch != "" && !job.Own {
		e.Branch = branch // another branch is checked out in the user's own worktree, and the run continues on it
	}
	state, err := DescribeFiles(ctx, r.Repo, job.Watched)
	if err != nil {
		return err
	}
	e.Tree = state.Tree
	Record(e, state)
	return nil
}

// limitPIDs shortens a list of processes so that it fits into a journal line.
func limitPIDs(pids []int) []int { return pids[:min(len(pids), 100)] }

// fail saves the uncommitted work, and records that the task failed or was stopped. It records this even if the work cannot be saved, for
// example on a full disk.
func (r *Runner) fail(ctx context.Context, job Job, out *Outcome) error {
	if err := r.checkClaim(ctx); err != nil {
		return err // the worktree now belongs to the new owner, who will save its files
	}
	last := checkpoint.Event{
		Event: checkpoint.TaskFailed, Task: job.Task, Attempt: out.Attempt, Cause: out.Cause, Left: limitPIDs(out.Left), BaseTip: job.BaseTip,
	}
	if job.Place > 0 {
		return r.failInPlace(ctx, job, out, last)
	}
	if out.State == checkpoint.Active {
		last = checkpoint.Event{Event: checkpoint.RunStopped, Cause: out.Cause, Left: limitPIDs(out.Left), BaseTip: job.BaseTip}
	}
	if out.Cause == CauseExit {
		last.ExitCode = &out.Ended.Code
	}
	events := r.save(ctx, job, out, &last)
	j, err := r.Append(ctx, func(*checkpoint.Run) ([]checkpoint.Event, error) { return append(events, last), nil })
	if err == nil {
		out.Journal = j
	}
	return err
}

// save takes a snapshot for a task that did not succeed. The argument "last" is the event that records the end of the task. The result is
// the event that records the snapshot, or nothing if none was made.
func (r *Runner) save(ctx context.Context, job Job, out *Outcome, last *checkpoint.Event) []checkpoint.Event {
	if r.treeGone() {
		last.Text = "the worktree is gone"
		return nil
	}
	if err := r.recordWorktree(ctx, job, last); err != nil {
		last.Text = "the state of the worktree could not be read"
	}
	if out.Saved, out.Unsaved = r.Snapshot(ctx, fmt.Sprintf("task %s: %s", job.Task, out.Cause)); out.Unsaved != nil {
		last.Text = "uncommitted changes could not be saved"
		return nil
	}
	last.Saved = out.Saved.ID
	if out.Saved.ID == "" || !out.Saved.Made {
		return nil
	}
	return []checkpoint.Event{{Event: checkpoint.Snapshot, Tree: out.Saved.ID, Head: last.Head}}
}

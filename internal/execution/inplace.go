package execution

import (
	"context"
	"fmt"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
)

// Landing is the result of a task after its commits were copied onto the run's branch. The task worked in a linked worktree of its own.
// Tip is the new tip of the branch, and Tree is its tree. Commit is the copied commit with the result.
type Landing struct {
	Tip, Tree object.ID
	Commit    object.ID
	Patch     string
	// From is the commit that was checked out in the task's own worktree before the task. Made is the task's last commit there; empty
	// if it made none.
	From, Made object.ID
	// Home is the state of the run's main worktree, limited to the files that the plan declares.
	Home checkpoint.WorktreeState
}

// judgeTool takes the outcome of a task from the record, because the tool itself reports it. A tool that ended without a report has
// failed. If a signal stopped the tool, the task stays active, whatever the tool reported before.
func (r *Runner) judgeTool(ctx context.Context, job Job, out *Outcome) error {
	if out.State == checkpoint.Active {
		return nil
	}
	j, err := r.Store.Load(ctx, job.Run)
	if err != nil {
		return err
	}
	t := j.Run.Task(job.Task)
	switch {
	case t == nil:
	case t.State == checkpoint.Active && t.Reported:
		out.State, out.Cause, out.Attempt = checkpoint.Done, "", t.Attempt
	case t.State != checkpoint.Active:
		out.State, out.Cause = t.State, t.Cause
	case out.State == checkpoint.Done:
		out.State, out.Cause = checkpoint.Failed, CauseUnreported
		return nil
	default:
		return nil
	}
	out.Journal, out.Told = j, true
	return nil
}

// landReported brings the commits of a worker onto the run's branch, after the worker reported the task as done. Uncommitted files in its
// worktree are not part of the result.
func (r *Runner) landReported(ctx context.Context, job Job, from object.ID, out *Outcome) error {
	_, head, err := r.Repo.Refs.Head(ctx)
	if err != nil {
		return err
	}
	if head != from {
		out.Commit.ID = head
	}
	return r.Land(ctx, job, out)
}

// RecordLanded records that a task is done and that its result is on the run's branch.
func (r *Runner) RecordLanded(ctx context.Context, job Job, out *Outcome, l Landing) error {
	e := checkpoint.Event{
		Event: checkpoint.TaskDone, Task: job.Task, Attempt: out.Attempt, BaseTip: job.BaseTip, Command: job.Hash(), Left: limitPIDs(out.Left), Text: out.Vouched,
		Commit: l.Commit, Patch: l.Patch, Head: l.Tip, Tree: l.Tree, Place: &checkpoint.Place{N: job.Place, From: l.From, Commit: l.Made},
	}
	Record(&e, l.Home)
	j, err := r.Append(ctx, func(*checkpoint.Run) ([]checkpoint.Event, error) { return []checkpoint.Event{e}, nil })
	if err == nil {
		out.Journal, out.Commit.ID = j, l.Commit
	}
	return err
}

// failInPlace saves the uncommitted files in the worktree of a parallel task, and records that the task failed. A task that a signal
// stopped stays active, because the caller records one stop for all tasks.
func (r *Runner) failInPlace(ctx context.Context, job Job, out *Outcome, last checkpoint.Event) error {
	last.Place = &checkpoint.Place{N: job.Place}
	if out.Cause == CauseExit {
		last.ExitCode = &out.Ended.Code
	}
	var events []checkpoint.Event
	if r.treeGone() {
		last.Text = "the worktree is gone"
	} else if out.Saved, out.Unsaved = r.Snapshot(ctx, fmt.Sprintf("task %s: %s", job.Task, out.Cause)); out.Unsaved != nil {
		last.Text = "uncommitted changes could not be saved"
	} else if last.Saved = out.Saved.ID; out.Saved.ID != "" && out.Saved.Made {
		events = append(events, checkpoint.Event{Event: checkpoint.Snapshot, Task: job.Task, Tree: out.Saved.ID, Place: last.Place})
	}
	if out.State != checkpoint.Active {
		events = append(events, last)
	}
	j, err := r.Append(ctx, func(*checkpoint.Run) ([]checkpoint.Event, error) { return events, nil })
	if err == nil {
		out.Journal = j
	}
	return err
}

// Reject records why the result of a task did not reach the run's branch, and the snapshot of that result if there is one.
func (r *Runner) Reject(ctx context.Context, job Job, out *Outcome, why checkpoint.Event) error {
	why.Task, why.Attempt, why.BaseTip, why.Place = job.Task, out.Attempt, job.BaseTip, &checkpoint.Place{N: job.Place}
	var events []checkpoint.Event
	if out.Saved.ID != "" && out.Saved.Made {
		events = append(events, checkpoint.Event{Event: checkpoint.Snapshot, Task: job.Task, Tree: out.Saved.ID, Place: why.Place})
	}
	j, err := r.Append(ctx, func(*checkpoint.Run) ([]checkpoint.Event, error) { return append(events, why), nil })
	if err == nil {
		out.Journal = j
	}
	return err
}

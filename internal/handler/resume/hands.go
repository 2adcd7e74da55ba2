package resume

import (
	"context"
	"maps"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/internal/tasks"
)

// keepByHand finds the files that were changed by hand, if the caller has not done that before.
func (x *executor) keepByHand(ctx context.Context) (err error) {
	if t := assess.StoppedTask(x.run()); x.q.ByHand == nil && t != nil {
		if x.q.ByHand, err = assess.HandEditsSince(ctx, x.repo, x.run(), t); err != nil {
			return err
		}
	}
	x.runner.ByHand = x.q.ByHand
	return nil
}

// reportByHand lists the files that were changed by hand and are still uncommitted.
func (x *executor) reportByHand(ctx context.Context) {
	if len(x.q.ByHand) == 0 {
		return
	}
	if now, err := execution.StillByHand(ctx, x.repo, x.q.ByHand); err == nil {
		x.out.ByHand = now
	}
}

// ground makes the worktree of a run ready for the next task.
type ground struct{ x worker }

// baseline is how a worktree was before a task: onto is a snapshot of the uncommitted files, or empty if there were none. The field "before"
// is nil unless an earlier attempt of the task began with that state.
type baseline struct {
	onto   object.ID
	before *checkpoint.WorktreeState
}

// inPlace finds out how the user's own worktree was before a task, and which files were changed by hand since the task failed.
func (g ground) inPlace(ctx context.Context, id checkpoint.TaskID) (b baseline, err error) {
	x := g.x
	if t := x.run().Task(id); t != nil && t.State == checkpoint.Failed {
		if x.q.ByHand, err = assess.HandEditsSince(ctx, x.repo, x.run(), t); err != nil {
			return b, err
		}
		x.runner.ByHand = x.q.ByHand
	}
	b.onto, b.before, err = x.executer.Staging.Baseline(ctx, x.repo, x.run(), id)
	return b, err
}

// prepare makes the run's own worktree ready for a task. It sets aside the files that another, unfinished task left there, except with
// --keep. Other files, for example files that the setup made, stay in the worktree uncommitted. Before a task is repeated, prepare changes
// nothing, because somebody may have repaired something in the worktree. In the user's own worktree, it sets nothing aside.
func (g ground) prepare(ctx context.Context, next plan.Task) (baseline, error) {
	x := g.x
	r := x.run()
	if r.Here {
		return g.inPlace(ctx, checkpoint.TaskID(next.ID))
	}
	last := r.Task(r.InTree)
	switch {
	case last == nil:
	case last.State == checkpoint.Done && x.tried[last.ID] && len(x.runner.ByHand) == 0:
		return baseline{}, nil // nothing is uncommitted: this execution has just committed all files of the last task
	case last.State != checkpoint.Done && last.ID == checkpoint.TaskID(next.ID):
		return baseline{onto: last.Onto}, nil
	}
	if left := tasks.LeftBy(x.plan, r, checkpoint.TaskID(next.ID)); left != nil && x.q.policyFor(left.ID, "") != tasks.Keep {
		if err := g.setAsideFor(ctx, *left, next); err != nil {
			return baseline{}, err
		}
	}
	snap, err := x.executer.Staging.SnapshotOfAll(ctx, x.repo, r.ID, "before task "+next.ID)
	return baseline{onto: snap.ID}, err
}

// setAsideFor sets aside what a task left, before another task starts.
func (g ground) setAsideFor(ctx context.Context, left checkpoint.Task, next plan.Task) error {
	x := g.x
	hand, err := assess.HandEditsSince(ctx, x.repo, x.run(), &left)
	if err != nil {
		return err
	}
	l, err := x.executer.Staging.LeftoversOf(ctx, x.repo, x.run(), &left, hand)
	if err != nil {
		return err
	}
	err = l.SetAside(ctx, "set aside before task "+next.ID, func(s staging.SetAside) error {
		if err := x.note(ctx, checkpoint.Event{Event: checkpoint.Snapshot, Task: left.ID, Tree: s.Saved.ID, Text: "set aside before task " + next.ID}); err != nil {
			return err
		}
		x.storeJournal(x.out.Journal) // the end of the task is shown before what is set aside
		x.q.Watch.SetAside(s)
		return nil
	})
	if err != nil {
		return err
	}
	// Do not commit what the user changed by hand, before the task (left.ByHand) or after it stopped (l.Hand). If the task changed a file
	// that the user had changed before, SetAside has put back the user's version.
	x.q.ByHand = maps.Clone(left.ByHand)
	if x.q.ByHand == nil {
		x.q.ByHand = map[string]string{}
	}
	maps.Copy(x.q.ByHand, l.Hand)
	x.runner.ByHand = x.q.ByHand
	return nil
}

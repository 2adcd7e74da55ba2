package reporting

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/internal/tasks"
)

// invalidReason says why a finished task is no longer valid; empty if it is valid.
// If a signal stopped the check of the task, the outcome of the check is in out.
func (l *scriptLine) invalidReason(ctx context.Context, t checkpoint.Task, out *TaskRan) (string, error) {
	if t.Command != "" && t.Command != l.job.Hash() {
		return "its command changed", nil
	}
	moved, err := l.report.Store.History().Relocate(ctx, &checkpoint.Run{ID: l.report.j.Run.ID, Branch: l.report.j.Run.Branch, Base: l.report.j.Run.Base, Tasks: []checkpoint.Task{t}})
	if err != nil {
		return "", err
	}
	if m, gone := moved[t.ID]; gone && m.Now == "" {
		return "its commit is gone from the branch", nil
	}
	planned := l.plan
	for i := range planned.Tasks {
		planned.Tasks[i].Run = "" // ignore the plan's command, because "task run" gets its command as an argument
	}
	bad, err := l.report.reporter.Tasks.Invalid(ctx, l.report.Repo, planned, &l.report.j.Run)
	if err != nil {
		return "", err
	}
	if why, ok := bad[t.ID]; ok {
		return why.String(), nil
	}
	if l.q.Check == "" {
		return "", nil
	}
	return l.unconfirmed(ctx, out)
}

// unconfirmed runs the check command of the task. It returns "" if the check passes, and otherwise says how the check ended. If a signal
// stopped the check, it stores the outcome of the check in out, because the caller must stop too.
func (l *scriptLine) unconfirmed(ctx context.Context, out *TaskRan) (why string, err error) {
	ok, o, err := l.runner.Verify(ctx, l.job, l.q.Check)
	switch {
	case err != nil || ok:
		return "", err
	case o.State == checkpoint.Active:
		out.Outcome = o
	}
	return execution.Unconfirmed(o), nil
}

// decideUnended decides about a task that started but did not end. It asks the task's check command if there is one. Otherwise it looks for
// files and commits that the task made. If the task left files and neither the user nor the plan says what to do with them, the command runs
// again from a clean tree: a script has nobody to ask, and nothing is lost. It returns true if the command does not have to run.
func (l *scriptLine) decideUnended(ctx context.Context, t checkpoint.Task, out *TaskRan) (bool, error) {
	if l.q.Check != "" {
		return l.checkCut(ctx, t, out)
	}
	seen, err := tasks.LookFor(ctx, l.report.Repo, t, l.job)
	switch {
	case err != nil:
		return false, err
	case seen.None():
		out.Again = "it was interrupted, and no change made by it was found"
		return false, nil
	case l.q.Doubt == tasks.Keep:
		out.Again = "it was interrupted; it runs again on top of the changes that it had made"
		return false, nil
	case cmp.Or(l.q.Doubt, tasks.SpecOf(l.plan, t.ID).OnInterrupt) == plan.Ask:
		return false, l.doubt(ctx, t, seen)
	}
	out.Again = "it was interrupted; now it starts from a clean tree"
	return false, l.startClean(ctx, t, seen, out)
}

func (l *scriptLine) checkCut(ctx context.Context, t checkpoint.Task, out *TaskRan) (bool, error) {
	why, err := l.unconfirmed(ctx, out)
	if err != nil || out.Outcome != nil {
		return true, err
	}
	if why != "" {
		out.Again = "it was interrupted, and " + why
		if l.q.Doubt == tasks.Keep {
			return false, nil
		}
		seen, err := tasks.LookFor(ctx, l.report.Repo, t, l.job)
		if err != nil || seen.None() {
			return false, err
		}
		return false, l.startClean(ctx, t, seen, out)
	}
	l.job.Onto, l.job.Leave = t.Onto, l.uncertain(t)
	o, err := l.runner.Accept(ctx, l.job, t, "")
	if err != nil {
		return true, err
	}
	out.Verified, out.Journal = true, o.Journal
	l.report.reporter.Staging.Release(ctx, o.Journal)
	return true, nil
}

// uncertain reports whether a task worked in the user's own worktree, and it is not known which files were uncommitted there before. Then
// nothing is cleaned.
func (l *scriptLine) uncertain(t checkpoint.Task) bool {
	return l.report.j.Run.Here && !execution.StartKnown(&t)
}

// startClean saves what a task without a result left uncommitted, and removes it from the worktree. In the user's own worktree, files that
// were uncommitted before the task stay as they were then, and so do files that were changed by hand since. If something cannot be saved,
// it removes nothing, and a person must decide.
func (l *scriptLine) startClean(ctx context.Context, t checkpoint.Task, seen tasks.Traces, out *TaskRan) error {
	r := &l.report.j.Run
	if l.uncertain(t) {
		return l.doubt(ctx, t, seen)
	}
	hand, err := assess.HandEditsSince(ctx, l.report.Repo, r, &t)
	if err != nil {
		return err
	}
	left, err := l.report.reporter.Staging.LeftoversOf(ctx, l.report.Repo, r, &t, hand)
	if err != nil {
		return err
	}
	err = left.SetAside(ctx, "task "+string(t.ID)+" is run again from a clean tree", func(s staging.SetAside) error {
		out.Again += fmt.Sprintf(", and its changes are saved as %s", s.Saved.Label())
		return nil
	})
	if errors.As(err, new(*staging.UnsavedError)) {
		return l.doubt(ctx, t, seen)
	}
	l.runner.ByHand = left.Hand
	return err
}

// doubt returns the error that lets a person decide about a task without a result. What the task left is saved first.
func (l *scriptLine) doubt(ctx context.Context, t checkpoint.Task, seen tasks.Traces) error {
	snap, err := l.report.reporter.Staging.Snapshot(ctx, l.report.Repo, l.report.j.Run.ID, "task "+string(t.ID)+" was interrupted")
	if err != nil {
		return err
	}
	return &tasks.DoubtError{
		Run: l.report.j.Run.ID, Task: t.ID, Saved: snap.Label(), Changes: seen.Changes, Moved: seen.Moved, Line: true,
		Uncertain: l.uncertain(t), Unsaved: tasks.UnsavedOf(snap.Left),
	}
}

package reporting

import (
	"context"
	"fmt"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/plan"
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
// files and commits that the task made. It returns true if the command does not have to run.
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
	case l.q.Doubt == tasks.Keep, l.q.Doubt == plan.Retry && l.report.j.Run.Here:
		out.Again = "it was interrupted; it runs again on top of the changes that it had made"
		return false, nil
	}
	return false, l.doubtful(ctx, t, seen, out)
}

func (l *scriptLine) checkCut(ctx context.Context, t checkpoint.Task, out *TaskRan) (bool, error) {
	why, err := l.unconfirmed(ctx, out)
	if err != nil || out.Outcome != nil {
		return true, err
	}
	if why != "" {
		out.Again = "it was interrupted, and " + why
		return false, nil
	}
	o, err := l.runner.Accept(ctx, l.job, t, "")
	if err != nil {
		return true, err
	}
	out.Verified, out.Journal = true, o.Journal
	l.report.reporter.Staging.Release(ctx, o.Journal)
	return true, nil
}

func (l *scriptLine) doubtful(ctx context.Context, t checkpoint.Task, seen tasks.Traces, out *TaskRan) error {
	snap, err := l.report.reporter.Staging.Snapshot(ctx, l.report.Repo, l.report.j.Run.ID, "task "+string(t.ID)+" was interrupted")
	if err != nil {
		return err
	}
	if l.q.Doubt == plan.Retry && !tasks.HasUnsaved(snap.Left) {
		out.Again = "it was interrupted; now it starts from a clean tree"
		if t.State == checkpoint.Failed {
			out.Again = "it failed before: " + execution.Failure(t.Cause, t.ExitCode) + "; now it starts from a clean tree"
		}
		if snap.ID == "" {
			return nil
		}
		out.Again += fmt.Sprintf(", and its changes are saved as %s", snap.Label())
		return tasks.CleanTree(ctx, l.report.Repo, nil)
	}
	return &tasks.DoubtError{Run: l.report.j.Run.ID, Task: t.ID, Saved: snap.Label(), Changes: seen.Changes, Moved: seen.Moved, Line: true, Here: l.report.j.Run.Here, Unsaved: tasks.UnsavedOf(snap.Left)}
}

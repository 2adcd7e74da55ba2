package resume

import (
	"cmp"
	"context"
	"errors"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/internal/tasks"
)

// MarkDone means that the user declares an interrupted task done, whatever files it left.
const MarkDone plan.OnInterrupt = "mark-done"

// nothingFound is the reason why a task that left no trace runs again.
const nothingFound = "it was interrupted, and no change made by it was found"

// openTasks decides about tasks that an earlier execution left open.
type openTasks struct{ *executor }

// decide settles what happens with interrupted tasks before any other task runs. With --retry, it also does this for failed tasks. It
// leaves out tasks that have worktrees of their own.
func (x openTasks) decide(ctx context.Context) error {
	for i := range x.run().Tasks {
		t := x.run().Tasks[i]
		var err error
		switch why, settled := x.q.Settled[t.ID]; {
		case worksInPlace(x.run(), t): // besideWork decides about a task that has a worktree of its own
		case settled:
			x.rerunReasons[t.ID] = why
		case t.State == checkpoint.Active:
			err = x.settleTask(ctx, t)
		case t.State == checkpoint.Failed && x.q.Doubt == plan.Retry && !x.uncertain(&t):
			// With --retry, a failed task starts from a clean worktree. Otherwise it runs again in the worktree as it is, because somebody
			// may have repaired something.
			x.rerunReasons[t.ID] = "it failed before: " + execution.Failure(t.Cause, t.ExitCode) + "; now it starts from a clean tree"
			var ask *Confirming
			if ask, err = x.needsConfirmation(ctx, tasks.SpecOf(x.plan, t.ID)); ask == nil && err == nil {
				err = x.clear(ctx, t, tasks.Traces{})
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// recordLanded records commits that finished a task but are missing from the journal.
func (x openTasks) recordLanded(ctx context.Context) error {
	landed, err := x.Store.History().Landed(ctx, x.run())
	if err != nil || len(landed) == 0 {
		return err
	}
	state, err := execution.DescribeFiles(ctx, x.repo, tasks.Watched(x.plan))
	if err != nil {
		return err
	}
	return x.noted(x.owner.Append(ctx, func(r *checkpoint.Run) ([]checkpoint.Event, error) {
		events := tasks.FoundEvents(r, landed, "")
		if len(events) > 0 {
			execution.Record(&events[len(events)-1], state) // also record ignored files, such as the output of a build
		}
		return events, nil
	}))
}

// settleTask decides what to do with an interrupted task that has a command. The user's choice comes first, then the policy of the plan and
// the changes that the task left. If a person must decide, settleTask returns a *tasks.DoubtError.
//
// With the policy "verify", the task's check decides even if the task left no changes, because its effect may be outside the worktree.
func (x openTasks) settleTask(ctx context.Context, t checkpoint.Task) error {
	spec := tasks.SpecOf(x.plan, t.ID)
	if tasks.OnlyReported(x.plan, t) {
		return nil
	}
	if spec.ID == "" { // the plan was changed and no longer contains the task
		spec = plan.Task{ID: string(t.ID), Title: t.Title}
	}
	seen, err := tasks.LookFor(ctx, x.repo, t, x.job(ctx, spec))
	if err != nil {
		return err
	}
	seen.Changes = assess.WithoutByHand(seen.Changes, x.q.ByHand)
	policy := x.q.policyFor(t.ID, spec.OnInterrupt)
	ask, err := x.needsConfirmation(ctx, spec)
	if err != nil {
		return err
	}
	switch {
	case policy == MarkDone:
		if err := x.executer.noteAsked(x.run().ID, FlagMarkDone, t.ID); err != nil {
			return err
		}
		return x.accept(ctx, t, spec, "a user marked it as done; it was interrupted, so its end was not observed")
	case policy == plan.Verify && spec.Verify != "":
		return x.verify(ctx, t, spec, seen)
	case ask != nil && (policy == tasks.Keep || policy == plan.Retry || seen.None()):
		return nil // clean up nothing before a person has allowed the task to run again
	case seen.None() && policy != plan.Ask:
		x.rerunReasons[t.ID] = nothingFound
		return nil
	case policy == tasks.Keep || policy == plan.Retry && x.uncertain(&t):
		x.rerunReasons[t.ID] = "it was interrupted; now it continues on top of its changes"
		return nil
	case policy == plan.Retry:
		x.rerunReasons[t.ID] = "it was interrupted; now it starts from a clean tree"
		return x.clear(ctx, t, seen)
	}
	return x.doubt(ctx, t, seen)
}

// uncertain reports whether a task worked in the user's own worktree, and it is not known which files were uncommitted there before. Then
// nothing is cleaned.
func (x openTasks) uncertain(t *checkpoint.Task) bool {
	return x.run().Here && !execution.StartKnown(t)
}

// policyFor returns what to do with the changes of a task that has no result: what the user chose, or otherwise what the plan says.
func (q *ExecuteRequest) policyFor(id checkpoint.TaskID, planned plan.OnInterrupt) plan.OnInterrupt {
	if q.DoubtTask != "" && q.DoubtTask != id {
		return cmp.Or(q.Doubts[id], planned)
	}
	return cmp.Or(q.Doubts[id], q.Doubt, planned)
}

func (x openTasks) doubt(ctx context.Context, t checkpoint.Task, seen tasks.Traces) error {
	snap, err := x.runner.Snapshot(ctx, "task "+string(t.ID)+" was interrupted")
	if err != nil {
		return err
	}
	return &tasks.DoubtError{
		Run: x.run().ID, Task: t.ID, Saved: snap.Label(), Changes: seen.Changes, Moved: seen.Moved, Uncertain: x.uncertain(&t), Unsaved: tasks.UnsavedOf(snap.Left),
	}
}

// clear cleans the worktree for an interrupted or failed task, after saving its uncommitted work in a snapshot. Files that were changed by
// hand stay. It does not undo commits, because it cannot know who made them. If something cannot be saved, it changes nothing, and a person
// must decide.
func (x openTasks) clear(ctx context.Context, t checkpoint.Task, seen tasks.Traces) error {
	if x.run().Here {
		return x.setAside(ctx, t, seen)
	}
	snap, err := x.runner.Snapshot(ctx, "task "+string(t.ID)+" is run again from a clean tree")
	if err != nil {
		return err
	}
	if snap.ID == "" {
		return nil
	}
	if tasks.HasUnsaved(snap.Left) {
		return x.doubt(ctx, t, seen)
	}
	if err := x.note(ctx, checkpoint.Event{Event: checkpoint.Snapshot, Task: t.ID, Tree: snap.ID, Text: "run again from a clean tree"}); err != nil {
		return err
	}
	if err := tasks.CleanTree(ctx, x.repo, x.q.ByHand); err != nil {
		return err
	}
	return x.keepVisible(ctx)
}

// setAside cleans the user's own worktree of what an interrupted or failed task left there, and of nothing else.
func (x openTasks) setAside(ctx context.Context, t checkpoint.Task, seen tasks.Traces) error {
	l, err := x.executer.Staging.LeftoversOf(ctx, x.repo, x.run(), &t, x.q.ByHand)
	if err != nil {
		return err
	}
	err = l.SetAside(ctx, "task "+string(t.ID)+" is run again from a clean tree", func(s staging.SetAside) error {
		x.q.Watch.SetAside(s)
		return x.note(ctx, checkpoint.Event{Event: checkpoint.Snapshot, Task: t.ID, Tree: s.Saved.ID, Text: "run again from a clean tree"})
	})
	if errors.As(err, new(*staging.UnsavedError)) {
		return x.doubt(ctx, t, seen)
	}
	x.q.ByHand, x.runner.ByHand = l.Hand, l.Hand
	return err
}

// keepVisible keeps files out of the commit of a task that is run again from a clean tree. These files are untracked only because the clean
// tree does not have the task's .gitignore file.
func (x openTasks) keepVisible(ctx context.Context) error {
	const most = 50 // their names must fit into one line of the journal
	paths, err := tasks.Uncommitted(ctx, x.repo)
	if err != nil || len(paths) == 0 || len(paths) > most {
		return err
	}
	x.q.ByHand, err = execution.Contents(ctx, x.repo, paths)
	x.runner.ByHand = x.q.ByHand
	return err
}

// verify runs the plan's check for an interrupted task. If the check passes, the task counts as done. Otherwise the task will run again,
// and verify cleans the worktree for that. It cleans nothing if a person must first confirm that the task runs again.
func (x openTasks) verify(ctx context.Context, t checkpoint.Task, spec plan.Task, seen tasks.Traces) error {
	ok, out, err := x.runner.Verify(ctx, x.job(ctx, spec), spec.Verify)
	if err != nil {
		return err
	}
	if out.State == checkpoint.Active {
		return x.stop(ctx, out.Cause)
	}
	if ok {
		return x.accept(ctx, t, spec, "")
	}
	x.rerunReasons[t.ID] = "it was interrupted, and " + execution.Unconfirmed(out)
	ask, err := x.needsConfirmation(ctx, spec)
	if err != nil || ask != nil || x.uncertain(&t) || seen.None() {
		return err
	}
	return x.clear(ctx, t, seen)
}

// accept records an interrupted task as done, with the files that it left.
func (x openTasks) accept(ctx context.Context, t checkpoint.Task, spec plan.Task, why string) error {
	x.startHead = ""
	job := x.job(ctx, spec)
	job.Onto, job.Leave = t.Onto, job.Leave || x.uncertain(&t)
	out, err := x.runner.Accept(ctx, job, t, why)
	if out.Journal != nil {
		x.out.Journal = out.Journal
	}
	x.out.Unadded = append(x.out.Unadded, out.Commit.Unadded...)
	return err
}

// settleOnly decides what to do with interrupted tasks, but runs none of them. The result "why" has the reason for each task that will
// run again. The result "out" is nil if the run could not be claimed.
func (e *Executer) settleOnly(ctx context.Context, id checkpoint.RunID, q ExecuteRequest) (out *Executed, why map[checkpoint.TaskID]string, err error) {
	x, err := e.executor(ctx, id, q)
	if err != nil {
		return nil, nil, err
	}
	defer x.repo.Close()
	if err := x.claimRun(ctx, id); err != nil {
		return nil, nil, err
	}
	err = x.keepByHand(ctx)
	if err == nil {
		err = openTasks{x}.recordLanded(ctx)
	}
	if err == nil {
		err = openTasks{x}.decide(ctx)
	}
	return &x.out, x.rerunReasons, err
}

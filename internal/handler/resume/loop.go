package resume

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/tasks"
)

// worker runs the tasks of a run, one after the other.
type worker struct{ *executor }

// work first decides about tasks that an earlier execution left open. Then it executes one task after the other.
// If HEAD moves meanwhile, work starts again: a git process of a killed worker may have committed a task.
func (x worker) work(ctx context.Context) error {
	for try := 1; ; try++ {
		err := x.workFrom(ctx)
		if !errors.Is(err, execution.ErrHead) || try == candidate.MaxLooks {
			return err
		}
		if x.out.Journal, err = x.Store.Load(ctx, x.run().ID); err != nil {
			return err
		}
		x.markTried()
		clear(x.rerunReasons)
	}
}

func (x worker) workFrom(ctx context.Context) error {
	var err error
	if _, x.startHead, err = x.repo.Refs.Head(ctx); err != nil {
		return err
	}
	left := openTasks(x)
	if err := left.recordLanded(ctx); err != nil {
		return err
	}
	if err := x.setup(ctx); err != nil || x.out.SetupFailed {
		return err
	}
	if err := left.decide(ctx); err != nil {
		return err
	}
	if err := x.revalidate(ctx); err != nil {
		return err
	}
	return x.loop(ctx)
}

func (x worker) loop(ctx context.Context) error {
	for {
		if more, err := x.step(ctx); err != nil || !more {
			return err
		}
	}
}

// step does the next step of the run. The result "more" is false if the execution has come to its end.
func (x worker) step(ctx context.Context) (more bool, err error) {
	if err := x.endIfSignalled(ctx); err != nil {
		return false, err
	}
	step, err := stepper{x}.next(ctx)
	if err != nil {
		return false, err
	}
	if step.Kind != tasks.StepRun {
		if err := x.flush(ctx); err != nil {
			return false, err
		}
	}
	more, err = stepper{x}.take(ctx, step)
	return more && (len(x.out.Failed) == 0 || x.q.KeepGoing), err
}

// stepper decides about the next step of a run, and does it.
type stepper struct{ x worker }

// next finds the next step, and what a person must allow before it.
func (s stepper) next(ctx context.Context) (tasks.Step, error) {
	step := tasks.Next(s.x.plan, s.x.run(), s.x.tried)
	if step.Kind != tasks.StepRun {
		return step, nil
	}
	var err error
	if s.x.out.Confirm, err = s.x.needsConfirmation(ctx, step.Task); s.x.out.Confirm != nil {
		step.Kind = tasks.StepConfirm
	}
	return step, err
}

// take does one step. The result "more" is true if there may be another step.
func (s stepper) take(ctx context.Context, step tasks.Step) (more bool, err error) {
	if err := (pauses{s.x.executor}).refuse(ctx, step.Kind); err != nil {
		return false, err
	}
	s.x.out.Step = step
	switch step.Kind {
	case tasks.StepRun:
		return true, s.x.attempt(ctx, step.Task)
	case tasks.StepAsk:
		return false, s.recordQuestion(ctx, step.Task)
	case tasks.StepConfirm:
		return false, s.recordConfirmation(ctx)
	case tasks.StepFinish:
		return false, s.x.finish(ctx)
	}
	return false, nil
}

// endIfSignalled ends the execution if a signal has arrived between two commands.
func (x worker) endIfSignalled(ctx context.Context) error {
	select {
	case s := <-x.q.Signals:
		return x.stop(ctx, execution.CauseOf(s))
	default:
		return nil
	}
}

// stop records that the execution ends between two commands, and returns errStopped.
func (x *executor) stop(ctx context.Context, cause string) error {
	if err := x.flush(ctx); err != nil {
		return err
	}
	if err := x.endWith(ctx, cause); err != nil {
		return err
	}
	return errStopped
}

func (x *executor) endWith(ctx context.Context, cause string) error {
	return x.noted(x.owner.Append(ctx, func(r *checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{{Event: checkpoint.RunStopped, Cause: cause, BaseTip: x.BaseTip(ctx, r)}}, nil
	}))
}

// setupDue reports whether the setup command of the plan still has to run. It is false if the plan has no setup command, if the command
// has succeeded in the run's present worktree, or if the run works in the user's own worktree.
func setupDue(p plan.Plan, r *checkpoint.Run) bool {
	return p.Setup != "" && !r.Here && (r.Setup == nil || r.Setup.State != checkpoint.Done)
}

// setup runs the setup command of the plan, if there is one and it has not succeeded in the run's present worktree. It does nothing in the
// user's own worktree.
func (x worker) setup(ctx context.Context) error {
	r := x.run()
	if !setupDue(x.plan, r) {
		return nil
	}
	task := plan.Task{ID: tasks.SetupTask, Title: x.plan.Setup, Run: x.plan.Setup}
	job := x.job(ctx, task)
	if r.Setup != nil {
		job.Why = "it failed before"
		if r.Setup.State == checkpoint.Active {
			job.Why = "it was interrupted"
		}
	}
	x.q.Watch.Begins(0, len(r.Tasks), task, 1)
	x.startHead = ""
	out, err := x.runner.Setup(ctx, job)
	if out != nil && out.Journal != nil {
		x.out.Last, x.out.Journal = out, out.Journal
	}
	if err != nil {
		return err
	}
	x.q.Watch.Ends(0, len(r.Tasks), task, out)
	if out.State == checkpoint.Active {
		return errStopped
	}
	x.out.SetupFailed = out.State == checkpoint.Failed
	return nil
}

// attempt runs a task, and repeats it if it failed and may be retried.
func (x worker) attempt(ctx context.Context, t plan.Task) error {
	id := checkpoint.TaskID(t.ID)
	was, err := ground{x}.prepare(ctx, t)
	if err != nil {
		return err
	}
	x.tried[id] = true
	for try := 0; ; try++ {
		if err := x.once(ctx, t, try, was); err != nil {
			if try > 0 { // an earlier attempt failed and this one has no result, for example because of a pause: report the task as failed
				x.out.Failed = append(x.out.Failed, id)
			}
			return err
		}
		out := x.out.Last
		if out.State != checkpoint.Failed || try >= t.Retries || !execution.Retryable(out.Cause) {
			break
		}
		if err := x.backOff(ctx, try); err != nil {
			return err
		}
		x.rerunReasons[id] = fmt.Sprintf("attempt %d of %d, because the previous one failed: %s", try+2, t.Retries+1, execution.Failure(out.Cause, &out.Ended.Code))
	}
	switch x.out.Last.State {
	case checkpoint.Active:
		return errStopped
	case checkpoint.Failed:
		x.out.Failed = append(x.out.Failed, id)
	}
	return nil
}

// once runs a task one time. The argument "was" says how the worktree was before the task.
func (x worker) once(ctx context.Context, t plan.Task, try int, was baseline) error {
	n, of := x.number(checkpoint.TaskID(t.ID))
	job := x.job(ctx, t)
	job.Why, job.From, job.Onto, job.Before = x.reason(checkpoint.TaskID(t.ID)), x.startHead, was.onto, was.before
	x.startHead = ""
	job.Begun = func(j *journal.Journal) {
		x.storeJournal(j)
		x.q.Watch.Begins(n, of, t, try+1)
	}
	out, err := x.runner.Do(ctx, job)
	if out != nil && out.Journal != nil {
		x.out.Last, x.out.Journal = out, out.Journal
	}
	if err != nil {
		return err
	}
	x.notifyWatcher = func() { x.q.Watch.Ends(n, of, t, out) }
	if out.State != checkpoint.Done {
		x.storeJournal(out.Journal)
	} else if s := x.run().Task(job.Task); s != nil {
		s.State = checkpoint.Done // the journal gets this result together with the next event
	}
	if out.Late != "" {
		return x.stop(ctx, out.Late)
	}
	return nil
}

// backOff waits before another try, as long as execution.PauseBefore says. If a signal arrives meanwhile, it ends the execution.
func (x worker) backOff(ctx context.Context, try int) error {
	t := time.NewTimer(execution.PauseBefore(try))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case s := <-x.q.Signals:
		return x.stop(ctx, execution.CauseOf(s))
	}
}

// recordQuestion records that the run has reached a question in the plan.
func (s stepper) recordQuestion(ctx context.Context, t plan.Task) error {
	if state := s.x.run().Task(checkpoint.TaskID(t.ID)); state.State == checkpoint.Blocked || t.Ask == "" {
		return nil
	}
	return s.x.note(ctx, checkpoint.Event{Event: checkpoint.TaskBlocked, Task: checkpoint.TaskID(t.ID), Text: t.Ask, Options: t.Options})
}

// recordConfirmation records that the run stopped because a person must allow the next task.
func (s stepper) recordConfirmation(ctx context.Context) error {
	if s.x.run().Cause == CauseConfirm {
		return nil
	}
	return s.x.endWith(ctx, CauseConfirm)
}

// finish closes the run if all tasks of its plan are closed. A run without planned tasks stays open, because any report may add a task.
func (x worker) finish(ctx context.Context) error {
	if len(x.plan.Tasks) == 0 {
		x.out.Step = tasks.Step{Kind: tasks.StepReport}
		return nil
	}
	// Record that the user has not seen the result of the run. If this process is killed, the next start of the plan then finds the run.
	if x.run().PlanFile != "" {
		if err := x.Store.Folder().KeepUnreported(x.run().ID); err != nil {
			return fmt.Errorf("finish the run: %w", err)
		}
	}
	j, err := x.owner.Append(ctx, func(r *checkpoint.Run) ([]checkpoint.Event, error) {
		if !r.AllClosed() {
			return nil, nil
		}
		return []checkpoint.Event{{Event: checkpoint.RunFinished}}, nil
	})
	if err != nil {
		return err
	}
	x.out.Journal = j
	x.executer.Staging.Release(ctx, j)
	return nil
}

// revalidate reopens finished tasks that are no longer valid, for example because their inputs changed, and records why.
func (x worker) revalidate(ctx context.Context) error {
	bad, err := x.executer.Tasks.Invalid(ctx, x.repo, x.plan, x.run())
	if err != nil || len(bad) == 0 {
		return err
	}
	var events []checkpoint.Event
	for _, t := range x.plan.Tasks {
		id := checkpoint.TaskID(t.ID)
		why, ok := bad[id]
		if !ok || t.Run == "" {
			continue // the worker of a task without a command must decide whether to do it again
		}
		x.rerunReasons[id] = why.String()
		events = append(events, checkpoint.Event{
			Event: checkpoint.TaskReset, Task: id, Attempt: x.run().Task(id).Attempt, Cause: why.Component, Text: why.String(),
		})
		x.q.Watch.Again(id, why.String())
	}
	return x.note(ctx, events...)
}

package resume

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/crew"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/tasks"
)

// Besider is a Watcher that can show several tasks that run at the same time. The tasks in filesOnly have no inputs and no check, so
// git-resume notices only merge conflicts between their results. The argument r is the run before the tasks start. The caller calls done
// after the last task has ended.
type Besider interface {
	Beside(jobs int, filesOnly []plan.Task, r *checkpoint.Run) (w crew.Watcher, done func())
}

// oneAfterAnother is used for a Watcher that cannot show several tasks at the same time: all tasks write to the same streams.
type oneAfterAnother struct{ Watcher }

func (oneAfterAnother) Stopping() {}

func (w oneAfterAnother) StreamsOf(plan.Task) (out, err io.Writer) { return w.Streams() }

// Jobs returns how many tasks of a run may run at the same time. The number from the command line ("asked") comes first, then the number
// with which the run was started, then the number in the plan, then the setting resume.jobs. If none of them is set, the result is 1. In the user's own worktree the result is always 1,
// and a higher number on the command line is an error.
func (e *Executer) Jobs(ctx context.Context, r *checkpoint.Run, p plan.Plan, asked int) (int, error) {
	config, err := e.Repo.Settings.Config(ctx)
	if err != nil {
		return 0, err
	}
	jobs := cmp.Or(asked, r.Jobs, p.Jobs)
	if v, ok := config.Get("resume.jobs"); ok && jobs == 0 {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 || n > plan.MaxJobs {
			return 0, fmt.Errorf("setting 'resume.jobs' is '%s': it must be a number from 1 to %d", v, plan.MaxJobs)
		}
		jobs = n
	}
	if r.Here && asked > 1 {
		return 0, &crew.JobsError{Run: r.ID, Why: crew.JobsHere}
	}
	if r.Here {
		return 1, nil
	}
	return max(jobs, 1), nil
}

// executeTasks executes the tasks one after another, or several at the same time, each in a worktree of its own. A run that already has
// such worktrees continues with them, even if only one task may run at a time.
func executeTasks(ctx context.Context, x *executor) error {
	jobs, err := x.executer.Jobs(ctx, x.run(), x.plan, x.q.Jobs)
	if err != nil {
		return err
	}
	if jobs < 2 && len(x.run().Places) == 0 {
		return worker{x}.work(ctx)
	}
	c := &crew.Crew{
		Host: host{x}, Pool: crew.PoolOf(x.executer.Staging), Owner: x.owner, Plan: x.plan, Home: x.repo, Jobs: jobs, KeepGoing: x.q.KeepGoing,
		Watch: oneAfterAnother{x.q.Watch}, Env: x.q.Env, Signals: x.q.Signals, LogLimit: x.runner.LogLimit, Tried: x.tried,
		Tools: x.q.Tool != nil, Ask: x.q.AskAbout, HeedPause: !x.q.EndsPause,
	}
	defer c.Close()
	if err := c.Open(ctx); err != nil {
		return err
	}
	if b, ok := x.q.Watch.(Besider); ok && jobs > 1 {
		var done func()
		c.Watch, done = b.Beside(jobs, tasks.FilesOnly(x.plan, c.Tools), x.run())
		defer done()
	}
	err = besideWork{x: x, crew: c}.work(ctx)
	if errors.As(err, new(*crew.MovingError)) {
		err = errors.Join(err, x.endWith(ctx, crew.CauseMoving))
	}
	return err
}

// host gives the package crew, which runs several tasks at the same time, access to the executor of the run.
type host struct{ x *executor }

func (h host) Run() *checkpoint.Run      { return h.x.run() }
func (h host) Stored(j *journal.Journal) { h.x.out.Journal = j }
func (h host) Note(ctx context.Context, events ...checkpoint.Event) error {
	return h.x.note(ctx, events...)
}
func (h host) Job(ctx context.Context, t plan.Task) execution.Job { return h.x.job(ctx, t) }
func (h host) Reason(id checkpoint.TaskID) string                 { return h.x.reason(id) }
func (h host) Again(id checkpoint.TaskID, why string)             { h.x.rerunReasons[id] = why }
func (h host) Tool(_ context.Context, t plan.Task, at checkpoint.Place, dir string) crew.Tool {
	return h.x.q.Tool(h.x.out.Journal, t, at, dir)
}
func (h host) MayStart(ctx context.Context, t plan.Task) (bool, error) {
	ask, err := h.x.needsConfirmation(ctx, t)
	return ask == nil, err
}

// besideWork executes a run whose tasks may run at the same time. The package crew starts them.
type besideWork struct {
	x    *executor
	crew *crew.Crew
}

// work first decides about tasks that an earlier execution left open. Then it executes tasks until it cannot continue.
func (b besideWork) work(ctx context.Context) error {
	if err := b.crew.Pool.ReturnToBranch(ctx, b.x.repo, b.x.run()); err != nil {
		return err
	}
	w := worker{b.x}
	for _, step := range []func(context.Context) error{openTasks{b.x}.recordLanded, w.setup, b.settle, w.revalidate} {
		if err := step(ctx); err != nil || b.x.out.SetupFailed {
			return err
		}
	}
	if over, err := b.cleanHome(ctx); over || err != nil {
		return err
	}
	err := b.crew.Work(ctx)
	b.x.out.Failed = append(b.x.out.Failed, b.crew.Failed...)
	if b.crew.Last != nil {
		b.x.out.Last = b.crew.Last
	}
	switch {
	case err != nil:
		return err
	case b.crew.Cause == execution.CausePaused:
		return execution.ErrPaused
	case b.crew.Cause != "":
		return b.x.stop(ctx, b.crew.Cause)
	case len(b.x.out.Failed) > 0 && !b.x.q.KeepGoing:
		b.x.out.Step = tasks.Next(b.x.plan, b.x.run(), b.x.tried)
		return nil
	}
	return b.conclude(ctx)
}

// cleanHome makes the run's own worktree free of uncommitted files, which the setup or an interrupted task may have left. These files
// belong in the commit of the next task that is done there. So cleanHome executes tasks in this worktree, one after another, until
// everything is committed. The result "over" is true if the execution has ended.
func (b besideWork) cleanHome(ctx context.Context) (over bool, err error) {
	for {
		changes, err := b.x.repo.Status(ctx)
		if err != nil || len(changes) == 0 {
			return false, errors.Join(err, b.x.flush(ctx))
		}
		if more, err := (worker{b.x}).step(ctx); err != nil || !more {
			return true, err
		}
	}
}

// conclude decides what comes after the last task that could run: the end of the run, or something that a person must do.
func (b besideWork) conclude(ctx context.Context) error {
	s := stepper{worker{b.x}}
	step, err := s.next(ctx)
	if err != nil {
		return err
	}
	if step.Kind == tasks.StepFinish {
		b.crew.EmptyPlaces(ctx)
		b.x.out.Places = b.crew.Pool.Remove(ctx, b.x.run())
		if err := b.x.note(ctx, b.x.out.Places.GoneEvents()...); err != nil {
			return err
		}
	}
	_, err = s.take(ctx, step)
	return err
}

// settle decides about tasks that an earlier execution left open, each in the worktree in which it worked.
func (b besideWork) settle(ctx context.Context) error {
	if err := b.settlePlaces(ctx); err != nil {
		return err
	}
	return openTasks{b.x}.decide(ctx)
}

// settlePlaces decides what happens to each task that worked in a worktree of its own and was interrupted or failed. It may add finished
// commits of such a task to the run's branch. Before that, it detaches HEAD of the run's own worktree. Otherwise the branch would move
// while its files there stay old, which looks as if somebody had undone the new commits.
func (b besideWork) settlePlaces(ctx context.Context) (err error) {
	left := false
	for i := range b.x.run().Tasks {
		t := b.x.run().Tasks[i]
		if !worksInPlace(b.x.run(), t) || t.State != checkpoint.Active && t.State != checkpoint.Failed {
			continue
		}
		if !left {
			if err := b.crew.Pool.LeaveBranch(ctx, b.x.repo); err != nil {
				return err
			}
			left = true
			defer func() {
				if back := b.crew.Pool.ReturnToBranch(ctx, b.x.repo, b.x.run()); back != nil {
					err = errors.Join(err, back)
				}
			}()
		}
		if err := b.settleInPlace(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// worksInPlace reports whether the last attempt of a task worked in a worktree of its own that the run still has.
func worksInPlace(r *checkpoint.Run, t checkpoint.Task) bool {
	return t.Place > 0 && r.Places.At(t.Place) != nil
}

// settleInPlace decides what happens to a task that was interrupted, or failed, in a worktree of its own. If the task made its commit
// before the interruption, this commit is accepted as the task's result. Otherwise it is decided whether the task runs again, and on which
// files.
func (b besideWork) settleInPlace(ctx context.Context, t checkpoint.Task) error {
	spec := tasks.SpecOf(b.x.plan, t.ID)
	if spec.ID == "" {
		spec = plan.Task{ID: string(t.ID), Title: t.Title}
	}
	runner, repo, err := b.crew.RunnerIn(ctx, t.Place, spec)
	if err != nil {
		return err
	}
	defer repo.Close()
	there := *b.x
	there.repo, there.place, there.runner = repo, t.Place, runner
	there.q.ByHand = nil
	x := openTasks{&there}
	made, err := tasks.ResultMade(ctx, repo, b.x.run().ID, t)
	switch why, settled := b.x.q.Settled[t.ID]; {
	case err != nil:
	case t.State == checkpoint.Active && made:
		t.Reported = true // so only the commit is accepted, and uncommitted files in the worktree are not part of the result
		err = x.accept(ctx, t, spec, "")
	case settled:
		b.x.rerunReasons[t.ID] = why
	case t.State == checkpoint.Active && tasks.OnlyReported(b.x.plan, t):
		b.x.rerunReasons[t.ID] = "it was interrupted; now it continues on top of its changes"
	case t.State == checkpoint.Active:
		err = x.settleTask(ctx, t)
	case b.x.q.Doubt == plan.Retry && !crew.Rejected(t.Cause):
		b.x.rerunReasons[t.ID] = "it failed before: " + execution.Failure(t.Cause, t.ExitCode) + "; now it starts from a clean tree"
		err = x.clear(ctx, t, tasks.Traces{})
	}
	if there.out.Journal.Run.Events > b.x.out.Journal.Run.Events {
		b.x.out.Journal = there.out.Journal
	}
	b.x.out.Unadded = there.out.Unadded
	return err
}

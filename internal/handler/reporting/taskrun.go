package reporting

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/internal/tasks"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// TaskRunRequest asks to run a command as a task. The command comes from one line of a script.
type TaskRunRequest struct {
	TaskReport
	Args []string
	// Check is a command that succeeds if the task is already done.
	Check string
	// Timeout is how long the command may run. If it is set, it overrides the plan.
	Timeout time.Duration
	// Doubt says what to do if the task was interrupted or failed earlier.
	Doubt   plan.OnInterrupt
	Env     []string
	Signals <-chan os.Signal
	Out     io.Writer
	Err     io.Writer
	Stdin   io.Reader
	TTY     *os.File
}

// TaskRan is the result of RunTask.
type TaskRan struct {
	Journal *journal.Journal
	Task    checkpoint.Task
	// Already is true if nothing ran, because the task was skipped, or was done before and is still valid.
	Already bool
	// Again says why a task runs again although it has already started or ended before.
	Again string
	// Verified is true if nothing ran, because the task's check says that the task is done.
	Verified bool
	Outcome  *execution.Outcome
}

// RunTask runs a task's command. It runs nothing if the task was skipped, or if its result exists already and is still valid.
func (e *Reporter) RunTask(ctx context.Context, q TaskRunRequest) (*TaskRan, error) {
	q.Verb = Start
	if err := q.check(); err != nil {
		return nil, err
	}
	ran, err := e.runLine(ctx, q)
	for try := 1; errors.Is(err, candidate.ErrMoved) && try < candidate.MaxLooks; try++ {
		ran, err = e.runLine(ctx, q)
	}
	if j := e.findClosedRun(ctx, err); j != nil {
		// The script runs again although its run is already finished. So this "task run" has nothing to do.
		if t := j.Run.Task(checkpoint.TaskID(q.Task)); t != nil && t.State.Closed() && q.sameCommand(t) {
			ran, err = &TaskRan{Journal: j, Task: *t, Already: true}, nil
		}
	}
	if err == nil && ran.Already && ran.Journal != nil {
		e.Store.Settle(ctx, ran.Journal.Run.ID) // this call recorded nothing, so it must publish what a killed process recorded but did not publish
	}
	return ran, err
}

// sameCommand reports whether a finished task ran exactly this command. It is true if the record does not name a command.
func (q TaskRunRequest) sameCommand(t *checkpoint.Task) bool {
	return t.Command == "" || t.Command == execution.Hash("", q.Args)
}

func (e *Reporter) runLine(ctx context.Context, q TaskRunRequest) (*TaskRan, error) {
	id, err := e.Find.Resolve(ctx, q.Run)
	if err != nil {
		return nil, err
	}
	d, err := e.open(ctx, id, q.Owner, q.Takeover)
	if err != nil {
		return nil, err
	}
	d.q = q.TaskReport
	if err := d.prepare(ctx); err != nil {
		return nil, err
	}
	if d.place != nil { // this worktree belongs to one task of a plan, so "task run" must not start other tasks here
		p, _ := d.TreeOf(&d.j.Run)
		return nil, &WrongPlaceError{Run: id, What: "worktree", Here: d.Repo.WorkTree, Want: p.WorkTree}
	}
	defer e.Store.Flush()
	l := &scriptLine{report: d, q: q}
	if l.plan, err = e.Tasks.PlanOf(ctx, &d.j.Run); err != nil {
		return nil, err
	}
	if err := l.prepareJob(ctx); err != nil {
		return nil, err
	}
	return l.run(ctx)
}

// scriptLine is one call of "task run".
type scriptLine struct {
	report *taskReport
	q      TaskRunRequest
	plan   plan.Plan
	job    execution.Job
	runner *execution.Runner
	// seen is the id of the last attempt that the task had when we decided to run it. attempt is the id of our own attempt; it is empty
	// until the start of our attempt is recorded.
	seen    string
	attempt string
}

func (l *scriptLine) prepareJob(ctx context.Context) error {
	config, err := l.report.Repo.Settings.Config(ctx)
	if err != nil {
		return err
	}
	limit, err := staging.LogLimit(config)
	if err != nil {
		return err
	}
	r := &l.report.j.Run
	l.job = execution.Job{
		Run: r.ID, Branch: l.report.branch, Task: l.report.task, Title: l.q.Title, Subject: l.q.Message, Args: l.q.Args, Timeout: l.q.Timeout,
		Own: !r.Here, NoVerify: l.q.NoVerify, NoTrailers: !config.Bool("resume.trailers", true), BaseTip: l.report.base, Watched: tasks.Watched(l.plan),
		Answers: execution.Answers(r),
	}
	if t := r.Task(l.report.task); t != nil && t.Title != "" {
		l.job.Title = t.Title
	}
	for _, t := range l.plan.Tasks {
		if t.ID == string(l.report.task) {
			l.job.Inputs, l.job.Outputs = t.Inputs, t.Outputs
			if l.job.Timeout == 0 {
				l.job.Timeout = t.Timeout.Value()
			}
		}
	}
	l.runner = &execution.Runner{
		Repo: l.report.Repo, Store: l.report.Store, Append: l.append, Check: l.check, Now: l.report.Now, Procs: l.report.Procs, Env: l.q.Env,
		Streams: execution.Streams{Output: l.q.Out, ErrOutput: l.q.Err, Stdin: l.q.Stdin, TTY: l.q.TTY},
		Signals: l.q.Signals, LogLimit: limit,
		Snapshot: func(ctx context.Context, cause string) (snapshot.Snapshot, error) {
			return l.report.reporter.Staging.Snapshot(ctx, l.report.Repo, r.ID, cause)
		},
	}
	return nil
}

// append records events of the task, if mayAppend allows it. Before them, it records what they depend on, for example that the task exists.
func (l *scriptLine) append(ctx context.Context, decide func(*checkpoint.Run) ([]checkpoint.Event, error)) (*journal.Journal, error) {
	begins := false
	j, err := l.report.Store.Append(ctx, l.report.j.Run.ID, journal.Batch{Decide: func(r *checkpoint.Run) ([]checkpoint.Event, error) {
		if err := l.mayAppend(r); err != nil {
			return nil, err
		}
		events, err := decide(r)
		if err != nil || len(events) == 0 {
			return nil, err
		}
		before := append(l.report.driven(r), tasks.FoundEvents(r, l.report.landed, l.report.task)...)
		if r.Task(l.report.task) == nil {
			before = append(before, checkpoint.Event{Event: checkpoint.TaskAdded, Task: l.report.task, Title: l.q.Title})
		}
		begins = events[0].Event == checkpoint.TaskStarted
		events = append(before, events...)
		if last := events[len(events)-1]; l.report.completesRun(r, last, events) {
			if err := l.report.Store.Folder().KeepUnreported(r.ID); err != nil {
				return nil, fmt.Errorf("finish the run: %w", err)
			}
			events = append(events, checkpoint.Event{Event: checkpoint.RunFinished})
		}
		return events, nil
	}})
	if err == nil && begins {
		l.attempt = j.Run.Task(l.report.task).Attempt
	}
	return j, err
}

// mayAppend returns an error if we may no longer write to the journal. Before the command starts, we must be allowed to report on the run.
// Afterwards our attempt must still be the task's latest attempt.
func (l *scriptLine) mayAppend(r *checkpoint.Run) error {
	if l.attempt == "" {
		// A new attempt was recorded since we decided to run the task, for example by a git process of a killed "task run".
		if t := r.Task(l.report.task); t != nil && t.Attempt != l.seen {
			return candidate.ErrMoved
		}
		return l.report.allowed(r)
	}
	if t := r.Task(l.report.task); r.Closed() || t == nil || t.Attempt != l.attempt {
		return &journal.FencedError{Epoch: r.Epoch, By: r.Driver}
	}
	return nil
}

// check returns an error if the run no longer belongs to us. It is called while the command is running.
func (l *scriptLine) check(ctx context.Context) error {
	j, err := l.report.Store.Load(ctx, l.report.j.Run.ID)
	if err != nil {
		return err
	}
	return l.mayAppend(&j.Run)
}

func (l *scriptLine) run(ctx context.Context) (*TaskRan, error) {
	out := &TaskRan{Journal: l.report.j}
	if spec := tasks.SpecOf(l.plan, l.report.task); spec.Once || spec.Confirm != "" {
		return out, l.refuseConfirmation(out)
	}
	if t := l.report.j.Run.Task(l.report.task); t != nil {
		out.Task, l.seen = *t, t.Attempt
		settled, err := l.decideKnown(ctx, *t, out)
		if err != nil || settled {
			return out, err
		}
	}
	if err := l.prepareHere(ctx); err != nil {
		return out, err
	}
	l.job.Why, l.job.From = out.Again, l.report.head
	o, err := l.runner.Do(ctx, l.job)
	if errors.Is(err, execution.ErrHead) {
		return nil, errors.Join(candidate.ErrMoved, err)
	}
	if o == nil {
		return nil, err
	}
	out.Outcome = o
	if o.Journal != nil {
		out.Journal = o.Journal
		if t := o.Journal.Run.Task(l.report.task); t != nil {
			out.Task = *t
		}
		l.report.reporter.Staging.Release(ctx, o.Journal)
	}
	return out, err
}

// prepareHere finds out how the user's own worktree was before the task, and which files were changed by hand since the task failed. In a
// run with a worktree of its own, it does nothing, because everything there is committed.
func (l *scriptLine) prepareHere(ctx context.Context) (err error) {
	r := &l.report.j.Run
	if !r.Here {
		return nil
	}
	if t := r.Task(l.report.task); l.runner.ByHand == nil && t != nil && t.State == checkpoint.Failed {
		if l.runner.ByHand, err = assess.HandEditsSince(ctx, l.report.Repo, r, t); err != nil {
			return err
		}
	}
	l.job.Onto, l.job.Before, err = l.report.reporter.Staging.Baseline(ctx, l.report.Repo, r, l.report.task)
	return err
}

// refuseConfirmation refuses a task that needs a person's permission, because a script cannot ask a person. It accepts a task that is
// closed already.
func (l *scriptLine) refuseConfirmation(out *TaskRan) error {
	t := l.report.j.Run.Task(l.report.task)
	if t == nil || !t.State.Closed() {
		return &tasks.UnconfirmedError{Run: l.report.j.Run.ID, Task: l.report.task}
	}
	out.Task, out.Already = *t, true
	return nil
}

// decideKnown decides what happens to a task that the run already has. settled is true if the task's command does not have to run.
func (l *scriptLine) decideKnown(ctx context.Context, t checkpoint.Task, out *TaskRan) (settled bool, err error) {
	switch t.State {
	case checkpoint.Skipped:
		out.Already = true
		return true, nil
	case checkpoint.Done:
		return l.settleDone(ctx, t, out)
	case checkpoint.Active:
		return l.decideUnended(ctx, t, out)
	case checkpoint.Failed:
		out.Again = "it failed before: " + execution.Failure(t.Cause, t.ExitCode)
		if l.q.Doubt == plan.Retry {
			out.Again += "; now it starts from a clean tree"
			return false, l.startClean(ctx, t, tasks.Traces{}, out)
		}
	default:
		if t.Attempts > 0 {
			out.Again = map[bool]string{true: "its question was answered", false: "the task was opened again"}[t.Answer != ""]
		}
	}
	return false, nil
}

func (l *scriptLine) settleDone(ctx context.Context, t checkpoint.Task, out *TaskRan) (bool, error) {
	why, err := l.invalidReason(ctx, t, out)
	if err != nil || out.Outcome != nil {
		return true, err
	}
	if why == "" {
		out.Already = true
		return true, l.recordFound(ctx, t)
	}
	out.Again = why
	_, err = l.append(ctx, func(*checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{{Event: checkpoint.TaskReset, Task: t.ID, Attempt: t.Attempt, Text: why}}, nil
	})
	l.seen = ""
	return false, err
}

// recordFound records a result that is committed but not yet recorded.
func (l *scriptLine) recordFound(ctx context.Context, t checkpoint.Task) error {
	if !t.Found || t.LastSeq > 0 && t.Commit == "" {
		return nil
	}
	_, err := l.append(ctx, func(r *checkpoint.Run) ([]checkpoint.Event, error) {
		if now := r.Task(t.ID); now != nil && now.State == checkpoint.Done {
			return nil, nil
		}
		return []checkpoint.Event{{
			Event: checkpoint.TaskDone, Task: t.ID, Attempt: t.Attempt, Commit: t.Commit, Tree: t.Tree, Found: true, Head: l.report.head, BaseTip: l.report.base,
		}}, nil
	})
	return err
}

package resume

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/worktree"
)

// TaskRunRequest asks for one line of a script to be run as a task.
type TaskRunRequest struct {
	TaskReport
	Args []string
	// Check is a command whose success says that the task's effect is there.
	Check string
	// Doubt says what to do if the task was cut off half way before.
	Doubt   plan.OnInterrupt
	Env     []string
	Signals <-chan os.Signal
	Out     io.Writer
	Err     io.Writer
	Stdin   io.Reader
	TTY     *os.File
}

// TaskRan is what came of it.
type TaskRan struct {
	Journal *checkpoint.Journal
	Task    checkpoint.Task
	// Already: it was done before and is still valid; nothing ran.
	Already bool
	// Again says why a task that had begun or ended before ran once more.
	Again string
	// Verified: its check says that it is done; nothing ran.
	Verified bool
	Outcome  *execution.Outcome
}

// RunTask runs a task's command once: a task that is done and still valid is not run again.
func (e *Engine) RunTask(ctx context.Context, q TaskRunRequest) (*TaskRan, error) {
	q.Verb = Start
	if err := q.check(); err != nil {
		return nil, err
	}
	id, err := e.Resolve(ctx, q.Run)
	if err != nil {
		return nil, err
	}
	d, err := e.desk(ctx, id, q.Owner, q.Takeover)
	if err != nil {
		return nil, err
	}
	d.q = q.TaskReport
	if err := d.prepare(ctx); err != nil {
		return nil, err
	}
	l := &line{desk: d, q: q, job: d.jobOf(q)}
	l.runner = l.newRunner()
	return l.run(ctx)
}

// line is one call of "task run".
type line struct {
	*desk
	q      TaskRunRequest
	job    execution.Job
	runner *execution.Runner
	// attempt is set once the intent is recorded.
	attempt string
}

func (d *desk) jobOf(q TaskRunRequest) execution.Job {
	r := &d.j.Run
	title := q.Title
	if t := r.Task(d.task); t != nil && t.Title != "" {
		title = t.Title
	}
	return execution.Job{
		Run: r.ID, Branch: d.branch, Task: d.task, Title: title, Subject: q.Message, Args: q.Args,
		Commit: !r.Here, NoVerify: q.NoVerify, BaseTip: d.base,
	}
}

func (l *line) newRunner() *execution.Runner {
	id := l.j.Run.ID
	return &execution.Runner{
		Repo: l.Repo, Store: l.Store, Append: l.append, Now: l.Now, Procs: l.Procs, Env: l.q.Env,
		Output: l.q.Out, ErrOutput: l.q.Err, Stdin: l.q.Stdin, TTY: l.q.TTY, Signals: l.q.Signals,
		Grace: 10 * time.Second, LogLimit: 16 << 20,
		Snapshot: func(ctx context.Context, cause string) (worktree.Snapshot, error) { return l.snapshot(ctx, id, cause) },
	}
}

// append records as the reporter does: whoever drives the run now may, and nobody else.
func (l *line) append(ctx context.Context, decide func(*checkpoint.Run) ([]checkpoint.Event, error)) (*checkpoint.Journal, error) {
	return l.Store.Append(ctx, l.j.Run.ID, checkpoint.Batch{Decide: func(r *checkpoint.Run) ([]checkpoint.Event, error) {
		if err := l.mayAppend(r); err != nil {
			return nil, err
		}
		events, err := decide(r)
		if err != nil || len(events) == 0 {
			return nil, err
		}
		var before []checkpoint.Event
		if l.drives(r) {
			before = append(before, checkpoint.Event{Event: checkpoint.RunDriven, Actor: l.actor})
		}
		before = append(before, foundEvents(r, l.landed, l.task)...)
		if r.Task(l.task) == nil {
			before = append(before, checkpoint.Event{Event: checkpoint.TaskAdded, Task: l.task, Title: l.q.Title})
		}
		if events[0].Event == checkpoint.TaskStarted {
			l.attempt = events[0].Attempt
		}
		events = append(before, events...)
		if last := events[len(events)-1]; l.ends(r, last, events) {
			events = append(events, checkpoint.Event{Event: checkpoint.RunFinished})
		}
		return events, nil
	}})
}

// mayAppend judges the reporter before its command runs. Afterwards the attempt decides:
// somebody who began the task anew meanwhile has fenced us.
func (l *line) mayAppend(r *checkpoint.Run) error {
	if l.attempt == "" {
		return l.allowed(r)
	}
	if t := r.Task(l.task); r.Closed() || t == nil || t.Attempt != l.attempt {
		return &checkpoint.FencedError{Epoch: r.Epoch, By: r.Driver}
	}
	return nil
}

func (l *line) run(ctx context.Context) (*TaskRan, error) {
	out := &TaskRan{Journal: l.j}
	if t := l.j.Run.Task(l.task); t != nil {
		out.Task = *t
		settled, err := l.settle(ctx, *t, out)
		if err != nil || settled {
			return out, err
		}
	}
	o, err := l.runner.Do(ctx, l.job)
	if err != nil {
		return nil, err
	}
	out.Outcome, out.Journal = o, o.Journal
	if t := o.Journal.Run.Task(l.task); t != nil {
		out.Task = *t
	}
	return out, nil
}

// settle decides about a task that has a history: done and valid, done and not valid any more, or cut off.
func (l *line) settle(ctx context.Context, t checkpoint.Task, out *TaskRan) (settled bool, err error) {
	switch t.State {
	case checkpoint.Skipped:
		out.Already = true
		return true, nil
	case checkpoint.Done:
		return l.settleDone(ctx, t, out)
	case checkpoint.Active:
		return l.settleCut(ctx, t, out)
	}
	return false, nil
}

func (l *line) settleDone(ctx context.Context, t checkpoint.Task, out *TaskRan) (bool, error) {
	why := ""
	switch {
	case t.Command != "" && t.Command != l.job.Hash():
		why = "its command changed"
	case l.q.Check != "":
		ok, err := l.runner.Verify(ctx, l.job, l.q.Check)
		if err != nil {
			return false, err
		}
		if !ok {
			why = "its check failed"
		}
	}
	if why == "" {
		out.Already = true
		return true, l.recordFound(ctx, t)
	}
	out.Again = why
	_, err := l.append(ctx, func(*checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{{Event: checkpoint.TaskReset, Task: t.ID, Text: why}}, nil
	})
	return false, err
}

// recordFound writes down a result that so far only a commit tells of.
func (l *line) recordFound(ctx context.Context, t checkpoint.Task) error {
	if !t.Found || t.LastSeq > 0 && t.Commit == "" {
		return nil
	}
	_, err := l.append(ctx, func(r *checkpoint.Run) ([]checkpoint.Event, error) {
		if now := r.Task(t.ID); now != nil && now.State == checkpoint.Done {
			return nil, nil
		}
		return []checkpoint.Event{{
			Event: checkpoint.TaskDone, Task: t.ID, Attempt: t.Attempt, Commit: t.Commit, Tree: t.Tree, Found: true, Head: l.head, BaseTip: l.base,
		}}, nil
	})
	return err
}

// settleCut decides about a task that was begun and not ended: its check, else what is left of it.
func (l *line) settleCut(ctx context.Context, t checkpoint.Task, out *TaskRan) (bool, error) {
	if l.q.Check != "" {
		ok, err := l.runner.Verify(ctx, l.job, l.q.Check)
		if err != nil {
			return false, err
		}
		if ok {
			o, err := l.runner.Accept(ctx, l.job, t.Attempt)
			if err == nil {
				out.Verified, out.Journal = true, o.Journal
			}
			return true, err
		}
		out.Again = "it was cut off, and its check says that it is not done"
		return false, nil
	}
	changes, err := l.Repo.Status(ctx)
	if err != nil {
		return false, err
	}
	if l.j.Run.Here {
		changes = nil // they may be anybody's
	}
	out.Again = "it was cut off, and nothing of it was found"
	if (len(changes) == 0 && l.head == t.FromHead) || l.q.Doubt == Keep {
		return false, nil
	}
	return false, l.doubtful(ctx, t, changes, out)
}

func (l *line) doubtful(ctx context.Context, t checkpoint.Task, changes []gitstate.Change, out *TaskRan) error {
	snap, err := l.snapshot(ctx, l.j.Run.ID, "task "+string(t.ID)+" was cut off")
	if err != nil {
		return err
	}
	if l.q.Doubt == plan.Retry && !l.j.Run.Here && !hasUnsaved(snap.Left) {
		out.Again = fmt.Sprintf("it was cut off; what it left is saved as %s", snap.ID.Short())
		return cleanTree(ctx, l.Repo)
	}
	d := &DoubtError{Run: l.j.Run.ID, Task: t.ID, Saved: snap.ID}
	for _, c := range changes {
		d.Changes = append(d.Changes, c.Path)
	}
	return d
}

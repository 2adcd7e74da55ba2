package resume

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/settings"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/internal/tasks"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// Watcher is told what happens while tasks run.
type Watcher interface {
	Begins(n, of int, task plan.Task, attempt int)
	Ends(n, of int, task plan.Task, out *execution.Outcome)
	// Again says that a finished task is no longer valid and will run once more.
	Again(task checkpoint.TaskID, why string)
	// Streams are where a task's own output goes.
	Streams() (out, err io.Writer)
}

// ExecuteRequest asks for a run's tasks to be executed.
type ExecuteRequest struct {
	KeepGoing bool
	NoVerify  bool
	Watch     Watcher
	Env       []string
	Signals   <-chan os.Signal
	// Stdin and TTY are what commands get; plans get neither.
	Stdin io.Reader
	TTY   *os.File
	// Doubt says what to do with a task that was cut off half way; empty leaves it to the plan.
	Doubt plan.OnInterrupt
	// DoubtTask is the task that Doubt is about; empty: every one that was interrupted.
	DoubtTask checkpoint.TaskID
	// ByHand are files that were changed by hand since the last stop, with their contents; nil: it is found out.
	ByHand map[string]string
	// Settled are interrupted tasks that were decided about already, with what to say of it.
	Settled map[checkpoint.TaskID]string
	// Timeout, where set, is how long a task may take, whatever the plan says.
	Timeout time.Duration
	// Owner, where set, is the claim under which to go on; Execute releases it.
	Owner *owner.Owner
	// Held, where set, is the hold on a run that was just started: Execute claims the run under it, and releases it.
	Held *owner.Held
	// Confirmed are the tasks whose command a person has allowed to run.
	Confirmed []string
}

// Executed is where an execution came to rest.
type Executed struct {
	Journal *journal.Journal
	Step    tasks.Step
	// Confirm is what a person must allow, with StepConfirm.
	Confirm *Confirming
	// Path is the run's worktree.
	Path string
	// Last is the outcome of the last task that ran; nil if none did.
	Last *execution.Outcome
	// Failed are the tasks that failed.
	Failed []checkpoint.TaskID
	// Stopped: a signal ended it.
	Stopped bool
	// SetupFailed: the worktree could not be prepared, and no task ran.
	SetupFailed bool
	// Unadded are repositories without a commit that the commit of an interrupted task had to leave out.
	Unadded []string
	// ByHand are files that were changed by hand, and are not committed.
	ByHand []string
}

// TreeError says that the worktree of a run is not there.
type TreeError struct {
	Run  checkpoint.RunID
	Path string
}

func (e *TreeError) Error() string {
	return fmt.Sprintf("the worktree of run '%s' is not at '%s'", e.Run, e.Path)
}

// Executable reports whether the next thing to do in a run is this program's: a command, or to close what is done.
func (e *Resumer) Executable(ctx context.Context, r *checkpoint.Run) bool {
	p, err := e.Tasks.PlanOf(ctx, r)
	if err != nil || r.Closed() || len(tasks.CommandsOf(p)) == 0 {
		return false
	}
	kind := tasks.Next(p, r, nil).Kind
	return setupDue(p, r) || kind == tasks.StepRun || kind == tasks.StepFinish
}

// errStopped ends the loop when a signal came.
var errStopped = errors.New("stopped")

// Execute runs the tasks of a run that have commands, in order, until it can go no further.
// Where it stands is given beside an error too, once it had begun.
func (e *Resumer) Execute(ctx context.Context, id checkpoint.RunID, q ExecuteRequest) (*Executed, error) {
	defer q.Held.Release()
	x, err := e.executor(ctx, id, q)
	if err != nil {
		return nil, err
	}
	defer x.close()
	if err = x.take(ctx, id); err != nil {
		return nil, err
	}
	if err = x.keepByHand(ctx); err != nil {
		return &x.out, err
	}
	err = x.work(ctx)
	x.tellByHand(ctx)
	if errors.Is(err, errStopped) {
		x.out.Stopped, err = true, nil
	}
	if fenced := new(journal.FencedError); err != nil && errors.As(x.owner.Check(ctx), &fenced) {
		err = fenced // whatever failed, failed because the run is another's now
	}
	return &x.out, errors.Join(err, x.flush(ctx))
}

// executor executes one run as its owner.
type executor struct {
	*site.Site
	resumer *Resumer
	q       ExecuteRequest
	repo    *gitstate.Repo
	owner   *owner.Owner
	plan    plan.Plan
	runner  *execution.Runner
	config  *settings.Config
	tried   map[checkpoint.TaskID]bool
	// why says for what reason a task runs that had begun or ended before.
	why map[checkpoint.TaskID]string
	// from is HEAD as it was when the unfinished tasks were looked at; empty once we have moved it ourselves.
	from object.ID
	// tell says what became of a task once that is recorded.
	tell func()
	out  Executed
}

// executor looks whether the run can be executed here; nothing is written yet.
func (e *Resumer) executor(ctx context.Context, id checkpoint.RunID, q ExecuteRequest) (*executor, error) {
	j, err := e.Store.Find(ctx, id)
	if err != nil {
		return nil, err
	}
	if j.Run.Closed() && (q.Held != nil || q.Owner != nil) { // it was open when we took hold of it
		return nil, &journal.FencedError{Epoch: j.Run.Epoch, By: j.Run.Owner}
	}
	if j.Run.Closed() {
		return nil, &candidate.ClosedError{ID: id, State: checkpoint.StateOf(&j.Run, checkpoint.Life{}, e.Now(), candidate.IdleAfter)}
	}
	if err := site.MustOwn(&j.Run); err != nil {
		return nil, err
	}
	x := &executor{Site: e.Site, resumer: e, q: q, tried: map[checkpoint.TaskID]bool{}, why: map[checkpoint.TaskID]string{}}
	if x.plan, err = e.Tasks.PlanOf(ctx, &j.Run); err != nil {
		return nil, err
	}
	if err := e.Tasks.Approved(ctx, &j.Run, x.plan); err != nil {
		return nil, err
	}
	place, ok := e.TreeOf(&j.Run)
	if !ok {
		return nil, &TreeError{Run: id, Path: j.Run.Worktree}
	}
	x.repo, x.out.Path = e.Repo.At(place), place.WorkTree
	x.config, err = x.repo.Settings.Config(ctx)
	return x, err
}

// take makes this process the owner of the run.
func (x *executor) take(ctx context.Context, id checkpoint.RunID) error {
	limit, err := staging.LogLimit(x.config)
	if err != nil {
		return err
	}
	if x.owner = x.q.Owner; x.owner == nil {
		if x.owner, err = x.resumer.claim(ctx, id, x.q.Held); err != nil {
			return err
		}
	}
	stdout, stderr := x.q.Watch.Streams()
	inTree := *x.resumer
	inTree.Repo = x.repo
	x.runner = &execution.Runner{
		Repo: x.repo, Store: x.Store, Append: x.owner.Append, Check: x.owner.Check, Now: x.Now, Procs: x.Procs, Env: x.q.Env,
		Streams: execution.Streams{Output: stdout, ErrOutput: stderr, Stdin: x.q.Stdin, TTY: x.q.TTY},
		Signals: x.q.Signals, LogLimit: limit, Joined: true,
		Snapshot: func(ctx context.Context, cause string) (snapshot.Snapshot, error) {
			return inTree.Staging.Snapshot(ctx, id, cause)
		},
	}
	x.out.Journal, err = x.Store.Load(ctx, id)
	return err
}

func (x *executor) close() {
	if x.owner != nil {
		x.owner.Release()
	}
	x.repo.Close()
}

func (x *executor) run() *checkpoint.Run { return &x.out.Journal.Run }

// work settles what an earlier execution left open, then takes one step after the other.
// A git that outlives a killed owner may bring a task's commit in while we settle; then it is looked at once more.
func (x *executor) work(ctx context.Context) error {
	for try := 1; ; try++ {
		err := x.workFrom(ctx)
		if !errors.Is(err, execution.ErrHead) || try == candidate.MaxLooks {
			return err
		}
		if x.out.Journal, err = x.Store.Load(ctx, x.run().ID); err != nil {
			return err
		}
		clear(x.tried)
		clear(x.why)
	}
}

func (x *executor) workFrom(ctx context.Context) error {
	var err error
	if _, x.from, err = x.repo.Refs.Head(ctx); err != nil {
		return err
	}
	if err := x.recordLanded(ctx); err != nil {
		return err
	}
	if err := x.setup(ctx); err != nil || x.out.SetupFailed {
		return err
	}
	if err := x.settle(ctx); err != nil {
		return err
	}
	if err := x.revalidate(ctx); err != nil {
		return err
	}
	return x.loop(ctx)
}

func (x *executor) loop(ctx context.Context) error {
	for {
		if err := x.signalled(ctx); err != nil {
			return err
		}
		step := tasks.Next(x.plan, x.run(), x.tried)
		if step.Kind == tasks.StepRun {
			var err error
			if x.out.Confirm, err = x.confirming(ctx, step.Task); err != nil {
				return err
			}
			if x.out.Confirm != nil {
				step.Kind = tasks.StepConfirm
			}
		}
		if step.Kind != tasks.StepRun {
			if err := x.flush(ctx); err != nil {
				return err
			}
		}
		x.out.Step = step
		switch step.Kind {
		case tasks.StepRun:
			if err := x.attempt(ctx, step.Task); err != nil {
				return err
			}
		case tasks.StepAsk:
			return x.ask(ctx, step.Task)
		case tasks.StepConfirm:
			return x.waitFor(ctx)
		case tasks.StepFinish:
			return x.finish(ctx)
		default:
			return nil
		}
		if len(x.out.Failed) > 0 && !x.q.KeepGoing {
			return nil
		}
	}
}

// signalled ends the execution if a signal came while no command ran that it could have reached.
func (x *executor) signalled(ctx context.Context) error {
	select {
	case s := <-x.q.Signals:
		return x.stop(ctx, execution.CauseOf(s))
	default:
		return nil
	}
}

// stop records that the execution ends between two commands.
func (x *executor) stop(ctx context.Context, cause string) error {
	if err := x.flush(ctx); err != nil {
		return err
	}
	j, err := x.owner.Append(ctx, func(r *checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{{Event: checkpoint.RunStopped, Cause: cause, BaseTip: x.BaseTip(ctx, r)}}, nil
	})
	if err != nil {
		return err
	}
	x.out.Journal = j
	return errStopped
}

// setupDue reports whether the run's worktree is new and not prepared.
func setupDue(p plan.Plan, r *checkpoint.Run) bool {
	return p.Setup != "" && !r.Here && (r.Setup == nil || r.Setup.State != checkpoint.Done)
}

// setup prepares a new worktree, once. One that was cut off or failed runs again: it comes before all work.
func (x *executor) setup(ctx context.Context) error {
	r := x.run()
	if !setupDue(x.plan, r) {
		return nil
	}
	task := plan.Task{ID: tasks.SetupTask, Title: x.plan.Setup, Run: x.plan.Setup}
	job := x.job(ctx, task)
	if r.Setup != nil {
		job.Why = "it failed before"
		if r.Setup.State == checkpoint.Active {
			job.Why = "it was cut off"
		}
	}
	x.q.Watch.Begins(0, len(r.Tasks), task, 1)
	x.from = ""
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

// attempt runs a task, again if it may be retried.
func (x *executor) attempt(ctx context.Context, t plan.Task) error {
	id := checkpoint.TaskID(t.ID)
	x.tried[id] = true
	for try := 0; ; try++ {
		if err := x.once(ctx, t, try); err != nil {
			return err
		}
		out := x.out.Last
		if out.State != checkpoint.Failed || try >= t.Retries || !retryable(out.Cause) {
			break
		}
		if err := x.backOff(ctx, try); err != nil {
			return err
		}
		x.why[id] = fmt.Sprintf("try %d of %d, after %s", try+2, t.Retries+1, out.Cause)
	}
	switch x.out.Last.State {
	case checkpoint.Active:
		return errStopped
	case checkpoint.Failed:
		x.out.Failed = append(x.out.Failed, id)
	}
	return nil
}

// retryable are ends after which the same command may go well the next time.
func retryable(cause string) bool {
	switch cause {
	case execution.CauseExit, execution.CauseSignal, execution.CauseTimeout:
		return true
	}
	return false
}

func (x *executor) once(ctx context.Context, t plan.Task, try int) error {
	n, of := x.number(checkpoint.TaskID(t.ID))
	job := x.job(ctx, t)
	job.Why, job.From = x.reason(checkpoint.TaskID(t.ID)), x.from
	x.from = ""
	job.Begun = func(j *journal.Journal) {
		x.recorded(j)
		x.q.Watch.Begins(n, of, t, try+1)
	}
	out, err := x.runner.Do(ctx, job)
	if out != nil && out.Journal != nil {
		x.out.Last, x.out.Journal = out, out.Journal
	}
	if err != nil {
		return err
	}
	x.tell = func() { x.q.Watch.Ends(n, of, t, out) }
	if out.State != checkpoint.Done {
		x.recorded(out.Journal)
	} else if s := x.run().Task(job.Task); s != nil {
		s.State = checkpoint.Done // it will be recorded together with what comes next
	}
	if out.Late != "" {
		return x.stop(ctx, out.Late)
	}
	return nil
}

// recorded takes a journal in which everything so far is recorded, and says so.
func (x *executor) recorded(j *journal.Journal) {
	x.out.Journal = j
	if x.tell != nil {
		x.tell()
		x.tell = nil
	}
}

// flush records a result that waited for the next intent.
func (x *executor) flush(ctx context.Context) error {
	j, err := x.runner.Flush(ctx)
	if err == nil && j != nil {
		x.recorded(j)
	}
	return err
}

// reason says why a task that was begun before runs again; a task that runs for the first time needs none.
func (x *executor) reason(id checkpoint.TaskID) string {
	t := x.run().Task(id)
	switch {
	case x.why[id] != "":
		return x.why[id]
	case t == nil || t.Attempts == 0:
		return ""
	case t.State == checkpoint.Failed:
		return "it failed before: " + t.Cause
	default:
		return "it was opened again"
	}
}

func (x *executor) job(ctx context.Context, t plan.Task) execution.Job {
	r := x.run()
	limit := x.q.Timeout
	if limit == 0 {
		limit = t.Timeout.Value()
	}
	return execution.Job{
		Run: r.ID, Branch: r.Branch, Task: checkpoint.TaskID(t.ID), Title: t.Title, Shell: t.Run,
		Timeout: limit, Own: !r.Here, Inputs: t.Inputs, Outputs: t.Outputs, Watched: tasks.Watched(x.plan), NoVerify: x.q.NoVerify,
		NoTrailers: !x.config.Bool("resume.trailers", true), BaseTip: x.BaseTip(ctx, r),
	}
}

// backOff waits before another try: one second, then twice as long each time, half a minute at most.
func (x *executor) backOff(ctx context.Context, try int) error {
	t := time.NewTimer(min(time.Second<<min(try, 5), 30*time.Second))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case s := <-x.q.Signals:
		return x.stop(ctx, execution.CauseOf(s))
	}
}

func (x *executor) number(id checkpoint.TaskID) (n, of int) {
	r := x.run()
	for i, t := range r.Tasks {
		if t.ID == id {
			n = i + 1
		}
	}
	return n, len(r.Tasks)
}

// ask records that a question of the plan is reached.
func (x *executor) ask(ctx context.Context, t plan.Task) error {
	if s := x.run().Task(checkpoint.TaskID(t.ID)); s.State == checkpoint.Blocked || t.Ask == "" {
		return nil
	}
	j, err := x.owner.Append(ctx, func(*checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{{Event: checkpoint.TaskBlocked, Task: checkpoint.TaskID(t.ID), Text: t.Ask, Options: t.Options}}, nil
	})
	if err == nil {
		x.out.Journal = j
	}
	return err
}

// waitFor records that the run stopped because a person must allow what comes next.
func (x *executor) waitFor(ctx context.Context) error {
	if x.run().Cause == CauseConfirm {
		return nil
	}
	j, err := x.owner.Append(ctx, func(r *checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{{Event: checkpoint.RunStopped, Cause: CauseConfirm, BaseTip: x.BaseTip(ctx, r)}}, nil
	})
	if err == nil {
		x.out.Journal = j
	}
	return err
}

// finish closes a run whose tasks are all closed. One that never had any grows by reports and is ended by a person.
func (x *executor) finish(ctx context.Context) error {
	if len(x.plan.Tasks) == 0 {
		x.out.Step = tasks.Step{Kind: tasks.StepReport}
		return nil
	}
	if x.run().PlanFile != "" { // a plan that was started may be started again, by whoever did not hear of its end
		if err := x.Store.Folder().KeepUntold(x.run().ID); err != nil {
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
	x.resumer.Staging.Release(ctx, j)
	return nil
}

// revalidate opens finished tasks again whose command, inputs or outputs changed, and records why.
func (x *executor) revalidate(ctx context.Context) error {
	bad, err := x.resumer.Tasks.Invalid(ctx, x.repo, x.plan, x.run())
	if err != nil || len(bad) == 0 {
		return err
	}
	var events []checkpoint.Event
	for _, t := range x.plan.Tasks {
		id := checkpoint.TaskID(t.ID)
		why, ok := bad[id]
		if !ok || t.Run == "" {
			continue // without a command it is whoever reported it who decides
		}
		x.why[id] = why.String()
		events = append(events, checkpoint.Event{
			Event: checkpoint.TaskReset, Task: id, Attempt: x.run().Task(id).Attempt, Cause: why.Component, Text: why.String(),
		})
		x.q.Watch.Again(id, why.String())
	}
	j, err := x.owner.Append(ctx, func(*checkpoint.Run) ([]checkpoint.Event, error) { return events, nil })
	if err == nil {
		x.out.Journal = j
	}
	return err
}

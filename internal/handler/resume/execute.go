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
	"github.com/git-resume/git-resume/internal/crew"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/internal/tasks"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// Executer runs the tasks of a plan. It also decides how an interrupted task continues.
type Executer struct {
	*site.Site
	Tasks   *tasks.Tasks
	Staging *staging.Stager
}

// Watcher is notified of what happens while tasks run.
type Watcher interface {
	Begins(n, of int, task plan.Task, attempt int)
	Ends(n, of int, task plan.Task, out *execution.Outcome)
	// Again says that a finished task is no longer valid and will run again.
	Again(task checkpoint.TaskID, why string)
	// SetAside says that uncommitted files of a task without a result were saved and removed from the worktree.
	SetAside(s staging.SetAside)
	// Streams returns the writers for a task's output.
	Streams() (out, err io.Writer)
}

// ExecuteRequest asks to execute a run's tasks.
type ExecuteRequest struct {
	KeepGoing bool
	NoVerify  bool
	Watch     Watcher
	Env       []string
	Signals   <-chan os.Signal
	// Stdin and TTY are passed to the command of "git resume run". For the tasks of a plan they are not set.
	Stdin io.Reader
	TTY   *os.File
	// Doubt says what to do with an interrupted task; empty means that the plan decides.
	Doubt plan.OnInterrupt
	// DoubtTask is the task that Doubt applies to; empty means every interrupted task.
	DoubtTask checkpoint.TaskID
	// Exhausted lists failed tasks that do not run again, because nobody has allowed it after too many attempts.
	Exhausted []checkpoint.TaskID
	// Doubts has the user's answers about single interrupted tasks. For these tasks, the answers override the field Doubt.
	Doubts map[checkpoint.TaskID]plan.OnInterrupt
	// ByHand has the files that were changed by hand since the last stop. The values are the ids of their contents. If ByHand is nil,
	// Execute finds these files.
	ByHand map[string]string
	// Settled contains the interrupted tasks about which a decision was made before.
	// It maps each task to the reason, which is shown to the user.
	Settled map[checkpoint.TaskID]string
	// Timeout is how long a task may run. If it is set, it overrides the plan.
	Timeout time.Duration
	// Owner is the claim on the run, if the caller has claimed it already. Execute releases the claim.
	Owner *owner.Owner
	// Held is the caller's lock on a run that was just created, or nil.
	// Execute claims the run while it is locked, and then releases the lock.
	Held *owner.HeldRun
	// EndsPause is true if the user has seen that the run was paused, and wants to go on. Otherwise no command starts in a paused run.
	EndsPause bool
	// Confirmed lists the tasks whose commands a person has allowed.
	Confirmed []string
	// AskAbout returns a question for the user. It is needed if the result of a task was not accepted because of what other tasks did at
	// the same time.
	AskAbout func(task, cause string, files []string) crew.Question
	// Tool returns a command for a task that has no command in the plan. It is used if several tasks may run at the same time. It is nil
	// if the user has configured no tool.
	Tool TaskTool
	// Jobs is how many tasks may run at the same time. If it is 0, the plan or the setting decides.
	Jobs int
}

// TaskTool returns the command of a tool that does one task in the folder dir. It is for tasks that have no command in the plan.
type TaskTool func(j *journal.Journal, task plan.Task, at checkpoint.Place, dir string) crew.Tool

// Executed describes how an execution ended.
type Executed struct {
	Journal *journal.Journal
	Step    tasks.Step
	// Confirm is what a person must allow. It is set if the next step is StepConfirm.
	Confirm *Confirming
	// Path is the run's worktree.
	Path string
	// Last is the outcome of the last task that ran; nil if none ran.
	Last *execution.Outcome
	// Failed lists the tasks that failed.
	Failed []checkpoint.TaskID
	// Stopped is true if a signal ended the execution.
	Stopped bool
	// Paused is true if the execution ended because somebody paused the run while it was executed. Pause is the event of a pause that is
	// in effect, however the execution ended; nil if the run is not paused.
	Paused bool
	Pause  *checkpoint.Event
	// SetupFailed is true if the setup command of the plan failed. Then no task ran.
	SetupFailed bool
	// Unadded lists nested repositories without a commit, which git could not add to the commit of an interrupted task.
	Unadded []string
	// ByHand lists files that were changed by hand and are not committed.
	ByHand []string
	// Places says which of the worktrees that were made for single tasks were removed, and which were kept and why.
	Places crew.Removed
}

// TreeError says that the worktree of a run does not exist.
type TreeError struct {
	Run  checkpoint.RunID
	Path string
}

func (e *TreeError) Error() string {
	return fmt.Sprintf("the worktree of run '%s' is missing at '%s'", e.Run, e.Path)
}

// Executable reports whether git-resume itself can do the next step of a run: run the setup or a command of the plan, or close the run.
// It returns false if the plan has no commands.
func (e *Executer) Executable(ctx context.Context, r *checkpoint.Run) bool {
	p, err := e.Tasks.PlanOf(ctx, r)
	if err != nil || r.Closed() || len(tasks.CommandsOf(p)) == 0 {
		return false
	}
	kind := tasks.Next(p, r, nil).Kind
	return setupDue(p, r) || kind == tasks.StepRun || kind == tasks.StepFinish
}

// errStopped ends the loop over the tasks after a signal.
var errStopped = errors.New("stopped")

// Execute runs the tasks of a run until it cannot continue. If it fails after it has claimed the run, it returns the reached state together
// with the error.
func (e *Executer) Execute(ctx context.Context, id checkpoint.RunID, q ExecuteRequest) (*Executed, error) {
	defer q.Held.Release()
	x, err := e.executor(ctx, id, q)
	if err != nil {
		return nil, err
	}
	defer x.close()
	if err = x.claimRun(ctx, id); err != nil {
		return nil, err
	}
	if err = x.keepByHand(ctx); err != nil {
		return &x.out, err
	}
	err = pauses{x}.heed(ctx, executeTasks(ctx, x))
	x.reportByHand(ctx)
	if errors.Is(err, errStopped) {
		x.out.Stopped, err = true, nil
	}
	err = errors.Join(err, x.flush(ctx))
	if err == nil {
		err = pauses{x}.note(ctx)
	}
	if fenced := new(journal.FencedError); err != nil && errors.As(x.owner.Check(ctx), &fenced) {
		err = fenced // this is the real cause of all errors: another process has taken over the run
	}
	return &x.out, err
}

// executor executes one run as its owner.
type executor struct {
	*site.Site
	executer *Executer
	q        ExecuteRequest
	repo     *gitstate.Repo
	owner    *owner.Owner
	plan     plan.Plan
	runner   *execution.Runner
	config   *settings.Config
	tried    map[checkpoint.TaskID]bool
	// rerunReasons says for each task why it runs again.
	rerunReasons map[checkpoint.TaskID]string
	// startHead is the commit of HEAD at the time when the unfinished tasks were examined. It is empty once we may have moved HEAD
	// ourselves.
	startHead object.ID
	// notifyWatcher reports a task's result to the watcher. It is called after that result was recorded.
	notifyWatcher func()
	// place is the number of the worktree in which this executor runs a single task, or 0 for the run's own worktree.
	place int
	out   Executed
}

// executor checks whether the run can be executed here; it writes nothing yet.
func (e *Executer) executor(ctx context.Context, id checkpoint.RunID, q ExecuteRequest) (*executor, error) {
	j, err := e.Store.Find(ctx, id)
	if err != nil {
		return nil, err
	}
	if j.Run.Closed() && (q.Held != nil || q.Owner != nil) { // another process closed the run after we had locked it
		return nil, &journal.FencedError{Epoch: j.Run.Epoch, By: j.Run.Owner}
	}
	if j.Run.Closed() {
		return nil, &candidate.ClosedError{ID: id, State: checkpoint.StateOf(&j.Run, checkpoint.Life{}, e.Now(), candidate.IdleAfter)}
	}
	if err := site.MustOwn(&j.Run); err != nil {
		return nil, err
	}
	x := &executor{Site: e.Site, executer: e, q: q, tried: map[checkpoint.TaskID]bool{}, rerunReasons: map[checkpoint.TaskID]string{}}
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
	x.q.KeepGoing = q.KeepGoing || j.Run.KeepGoing
	x.markTried()
	x.config, err = x.repo.Settings.Config(ctx)
	return x, err
}

// markTried marks the tasks that this execution does not attempt.
func (x *executor) markTried() {
	clear(x.tried)
	for _, id := range x.q.Exhausted {
		x.tried[id] = true
	}
}

// claimRun makes this process the owner of the run.
func (x *executor) claimRun(ctx context.Context, id checkpoint.RunID) error {
	limit, err := staging.LogLimit(x.config)
	if err != nil {
		return err
	}
	if x.owner = x.q.Owner; x.owner == nil {
		if x.owner, err = x.executer.claim(ctx, id, x.q.Held); err != nil {
			return err
		}
	}
	stdout, stderr := x.q.Watch.Streams()
	x.runner = &execution.Runner{
		Repo: x.repo, Store: x.Store, Append: x.owner.Append, Check: x.owner.Check, Now: x.Now, Procs: x.Procs, Env: x.q.Env,
		Streams: execution.Streams{Output: stdout, ErrOutput: stderr, Stdin: x.q.Stdin, TTY: x.q.TTY},
		Signals: x.q.Signals, LogLimit: limit, Joined: true, HeedPause: !x.q.EndsPause,
		Snapshot: func(ctx context.Context, cause string) (snapshot.Snapshot, error) {
			return x.executer.Staging.Snapshot(ctx, x.repo, id, cause)
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

// storeJournal stores the latest version of the journal. If a task's result waits to be reported, it also notifies the watcher.
func (x *executor) storeJournal(j *journal.Journal) {
	x.out.Journal = j
	if x.notifyWatcher != nil {
		x.notifyWatcher()
		x.notifyWatcher = nil
	}
}

// note records events, and remembers the new journal.
func (x *executor) note(ctx context.Context, events ...checkpoint.Event) error {
	return x.noted(x.owner.Append(ctx, func(*checkpoint.Run) ([]checkpoint.Event, error) { return events, nil }))
}

func (x *executor) noted(j *journal.Journal, err error) error {
	if err == nil {
		x.out.Journal = j
	}
	return err
}

// flush records the result of the last task if it is not recorded yet.
// A result is normally recorded together with the start of the next task.
func (x *executor) flush(ctx context.Context) error {
	j, err := x.runner.Flush(ctx)
	if err == nil && j != nil {
		x.storeJournal(j)
	}
	return err
}

// reason says why a task that was started before runs again; empty for a task that runs for the first time.
func (x *executor) reason(id checkpoint.TaskID) string {
	t := x.run().Task(id)
	switch {
	case x.rerunReasons[id] != "":
		return x.rerunReasons[id]
	case t == nil || t.Attempts == 0:
		return ""
	case t.State == checkpoint.Failed:
		return "it failed before: " + execution.Failure(t.Cause, t.ExitCode)
	case t.Answer != "":
		return "its question was answered"
	default:
		return "the task was opened again"
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
		NoTrailers: !x.config.Bool("resume.trailers", true), BaseTip: x.BaseTip(ctx, r), Place: x.place,
		Leave:   r.PlanFile == "", // only "git resume run" makes a plan with commands that is in no file
		Answers: execution.Answers(r),
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

// claim makes this process the owner of a run. held is the caller's lock on the run, or nil.
func (e *Executer) claim(ctx context.Context, id checkpoint.RunID, held *owner.HeldRun) (*owner.Owner, error) {
	clone, err := e.Clone()
	if err != nil {
		return nil, err
	}
	self, _ := e.Procs.Get(e.PID)
	actor := checkpoint.NewActor(e.Procs.Host(), self, clone)
	actor.Agent, actor.Session = e.Agent, e.Session
	if held != nil {
		return held.Take(ctx, actor)
	}
	return owner.Take(ctx, e.Store, id, actor)
}

package crew

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/tasks"
)

// JobsError says that tasks of a run cannot run at the same time here. Why is one of the reasons below.
type JobsError struct {
	Run checkpoint.RunID
	Why string
}

// The reasons why tasks cannot run at the same time.
const (
	JobsHere   = "here"
	JobsOldGit = "old-git"
)

func (e *JobsError) Error() string {
	why := "it works in your own worktree"
	if e.Why == JobsOldGit {
		why = "this git cannot merge without a worktree"
	}
	return fmt.Sprintf("tasks of run '%s' cannot run at the same time, because %s", e.Run, why)
}

// Host is the execution of a run, as a crew needs it. Only the goroutine that has the turn calls its methods.
type Host interface {
	// Run returns the state of the run after the last record, and Stored takes the journal after a record.
	Run() *checkpoint.Run
	Stored(*journal.Journal)
	Note(ctx context.Context, events ...checkpoint.Event) error
	Job(ctx context.Context, t plan.Task) execution.Job
	// MayStart reports whether a task may start without asking a person.
	MayStart(ctx context.Context, t plan.Task) (bool, error)
	// Tool returns the user's tool that does a task without a command, in the folder of its place.
	Tool(ctx context.Context, t plan.Task, at checkpoint.Place, dir string) Tool
	// Reason returns why a task runs again, and Again sets it.
	Reason(checkpoint.TaskID) string
	Again(id checkpoint.TaskID, why string)
}

// Tool is a command that does a task and reports it, with variables for its environment.
type Tool struct {
	Shell string
	Env   []string
}

// Question is a question to a person, and the answers that it offers.
type Question struct {
	Text    string
	Options []string
}

// Watcher is told what happens while tasks run at the same time.
type Watcher interface {
	Begins(n, of int, task plan.Task, attempt int)
	Ends(n, of int, task plan.Task, out *execution.Outcome)
	// Stopping says that a signal was passed on to all tasks at work.
	Stopping()
	// StreamsOf returns the writers for the output of one task.
	StreamsOf(task plan.Task) (out, err io.Writer)
}

// Crew executes several tasks of a run at the same time.
type Crew struct {
	Host  Host
	Pool  *Pool
	Owner *owner.Owner
	Plan  plan.Plan
	// Home is the run's own worktree.
	Home      *gitstate.Repo
	Jobs      int
	KeepGoing bool
	// Tools is true if the host has a tool for tasks without a command.
	Tools bool
	Watch Watcher
	// Ask returns the question about a result that was not taken, for a cause and because of some files.
	Ask      func(task, cause string, files []string) Question
	Env      []string
	Signals  <-chan os.Signal
	LogLimit int64
	// Tried lists the tasks that were attempted in this execution.
	Tried map[checkpoint.TaskID]bool

	// Failed lists the tasks that failed, and Last is the outcome of the last task that ended. Cause is the cause of a stop by a signal.
	Failed []checkpoint.TaskID
	Last   *execution.Outcome
	Cause  string

	// turn is held by the goroutine that asks git or writes the record. It is released while commands run, and while the crew waits for them.
	turn sync.Mutex
	// landing is signalled when the hand in the field alone has landed. While alone is set, no other hand may move the branch.
	landing *sync.Cond
	alone   *hand
	// hands are the tasks at work, by the number of their place. Places in unusable are left alone.
	hands    map[int]*hand
	unusable map[int]bool
	ended    chan *hand
	// files is the state of the run's own worktree, and tip the commit to which this process has moved the branch.
	files checkpoint.WorktreeState
	tip   object.ID
	err   error
}

// Open prepares a crew. It refuses a git that cannot merge without a worktree, before anything is changed. The caller has the turn from then on,
// until it calls Close.
func (c *Crew) Open(ctx context.Context) error {
	c.hands, c.unusable, c.ended = map[int]*hand{}, map[int]bool{}, make(chan *hand)
	c.landing = sync.NewCond(&c.turn)
	c.turn.Lock()
	if err := c.lookAtTip(ctx); err != nil {
		return err
	}
	at, err := c.Home.Objects.Commit(ctx, string(c.tip))
	if err != nil {
		return err
	}
	if _, err = past.MergeTrees(ctx, c.Home, at.Tree, at.Tree, at.Tree); errors.Is(err, past.ErrNoMergeTree) {
		return &JobsError{Run: c.Host.Run().ID, Why: JobsOldGit}
	}
	return err
}

// Close ends the crew's work.
func (c *Crew) Close() { c.turn.Unlock() }

func (c *Crew) lookAtTip(ctx context.Context) (err error) {
	c.tip, err = c.Home.Refs.Ref(ctx, c.Host.Run().Branch)
	return err
}

// Work executes tasks until no other one can start. Meanwhile the branch is checked out nowhere.
func (c *Crew) Work(ctx context.Context) (err error) {
	c.Pool.Store.Executing = c.Host.Run().ID
	defer func() { c.Pool.Store.Executing = "" }()
	if c.files, err = execution.DescribeFiles(ctx, c.Home, tasks.Watched(c.Plan)); err != nil {
		return err
	}
	if err := c.lookAtTip(ctx); err != nil {
		return err
	}
	if len(c.Host.Run().Places) == 0 { // a recorded place tells later why the run's worktree has left its branch
		first, err := c.openPlace(ctx, 1)
		if err != nil {
			return err
		}
		first.Close()
	}
	if err := c.Pool.LeaveBranch(ctx, c.Home); err != nil {
		return err
	}
	c.loop(ctx)
	return errors.Join(c.err, c.Pool.ReturnToBranch(ctx, c.Home, c.Host.Run()))
}

// loop starts tasks while places are free, and waits for those at work.
func (c *Crew) loop(ctx context.Context) {
	for {
		c.startReady(ctx)
		if len(c.hands) == 0 {
			return
		}
		c.turn.Unlock()
		select {
		case h := <-c.ended:
			c.turn.Lock()
			c.collect(h)
		case s := <-c.Signals:
			c.turn.Lock()
			c.signal(s)
		}
	}
}

// signal passes a signal on to all tasks at work. No other task starts after it.
func (c *Crew) signal(s os.Signal) {
	c.Cause = execution.CauseOf(s)
	c.Watch.Stopping()
	for _, h := range c.hands {
		select {
		case h.signals <- s:
		default: // the task has got several signals already
		}
	}
}

// startReady starts all tasks that can start now. If one cannot be started, none is started any more.
func (c *Crew) startReady(ctx context.Context) {
	if c.halting() {
		return
	}
	for _, t := range tasks.Ready(c.Plan, c.Host.Run(), c.progress()) {
		if len(c.hands) >= c.Jobs || c.halting() {
			return
		}
		may, err := c.Host.MayStart(ctx, t)
		if err == nil && may {
			err = c.start(ctx, t)
		}
		if err != nil {
			c.err = err
		}
	}
}

// halting reports whether no other task may start.
func (c *Crew) halting() bool {
	return c.err != nil || c.Cause != "" || len(c.Failed) > 0 && !c.KeepGoing
}

func (c *Crew) progress() tasks.Hands {
	h := tasks.Hands{Working: map[checkpoint.TaskID]bool{}, Tried: c.Tried, Tools: c.Tools}
	for _, one := range c.hands {
		h.Working[checkpoint.TaskID(one.task.ID)] = true
	}
	return h
}

// collect takes the result of a task that has ended.
func (c *Crew) collect(h *hand) {
	delete(c.hands, h.n)
	h.repo.Close()
	if h.err != nil && c.err == nil {
		c.err = h.err
	}
	if h.out == nil {
		return
	}
	c.Last = h.out
	if h.out.Late != "" {
		c.Cause = h.out.Late
	}
	switch h.out.State {
	case checkpoint.Blocked:
		delete(c.Tried, checkpoint.TaskID(h.task.ID)) // its question is the next step if nothing else can run
	case checkpoint.Failed:
		c.Failed = append(c.Failed, checkpoint.TaskID(h.task.ID))
	case checkpoint.Active:
		if c.Cause == "" && h.err == nil {
			c.Cause = h.out.Cause // the task itself noticed the signal
		}
	}
}

// number returns the number of a task, and how many there are.
func (c *Crew) number(id checkpoint.TaskID) (n, of int) {
	r := c.Host.Run()
	for i, t := range r.Tasks {
		if t.ID == id {
			n = i + 1
		}
	}
	return n, len(r.Tasks)
}

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
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/tasks"
)

// JobsError says that tasks of a run cannot run at the same time. The field "Why" is JobsHere, JobsOldGit or JobsBegun.
type JobsError struct {
	Run checkpoint.RunID
	Why string
}

// The reasons why tasks cannot run at the same time. Both JobsOldGit and JobsBegun mean that git is too old to merge results. JobsBegun is
// used if the run already has worktrees for its tasks. Such a run cannot continue with one task at a time either, because each result must
// be merged.
const (
	JobsHere   = "here"
	JobsOldGit = "old-git"
	JobsBegun  = "begun"
)

func (e *JobsError) Error() string {
	switch e.Why {
	case JobsHere:
		return fmt.Sprintf("tasks of run '%s' cannot run at the same time, because the run works in your own worktree", e.Run)
	case JobsBegun:
		return fmt.Sprintf("tasks of run '%s' have worktrees of their own, and git before %s cannot merge their results", e.Run, mergingGit)
	}
	return fmt.Sprintf("tasks of run '%s' cannot run at the same time, because git before %s cannot merge their results", e.Run, mergingGit)
}

// mergingGit is the first version of git that can merge without a worktree.
const mergingGit = "2.38"

// Host is what a crew needs to know and record about the run. Its methods are called only by the goroutine that holds the mutex "turn".
type Host interface {
	// Run returns the state of the run after the last recorded event.
	Run() *checkpoint.Run
	// Stored receives the run's new journal whenever something was recorded, so that Run can return the new state.
	Stored(*journal.Journal)
	Note(ctx context.Context, events ...checkpoint.Event) error
	Job(ctx context.Context, t plan.Task) execution.Job
	// MayStart reports whether a task can start without a question to a person.
	MayStart(ctx context.Context, t plan.Task) (bool, error)
	// Tool returns the command of the user's tool that does a task which has no command of its own. The tool works in the folder dir.
	Tool(ctx context.Context, t plan.Task, at checkpoint.Place, dir string) Tool
	// Reason returns the reason why a task runs again. Again sets the reason.
	Reason(checkpoint.TaskID) string
	Again(id checkpoint.TaskID, why string)
}

// Tool is a command that does a task and reports the result itself. Env is added to its environment.
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
	// Stopping is called when a signal is passed on to all running tasks.
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
	// If HeedPause is true, no task starts after somebody has paused the run.
	HeedPause bool
	// Tools is true if the user's tool can do the tasks that have no command of their own (see Host.Tool).
	Tools bool
	Watch Watcher
	// Ask returns the question for the user if the result of a task could not be merged. The cause and the files say why.
	Ask      func(task, cause string, files []string) Question
	Env      []string
	Signals  <-chan os.Signal
	LogLimit int64
	// Tried lists the tasks that were attempted in this execution.
	Tried map[checkpoint.TaskID]bool

	// Failed lists the tasks that failed, and Last is the outcome of the last task that ended. Cause is the
	// cause of a stop by a signal, or CausePaused.
	Failed []checkpoint.TaskID
	Last   *execution.Outcome
	Cause  string

	// turn is held by the goroutine that moves the branch, writes the record, or uses a field of the crew. It is released while commands
	// run, while git works only in the worktree of one task, and while the crew waits.
	turn sync.Mutex
	// landing wakes the tasks that wait until they may move the branch. While the field "alone" is set, only the task in that field may
	// move the branch.
	landing *sync.Cond
	alone   *hand
	// hands has the running tasks, by the number of the worktree in which each runs. Worktrees in the field "unusable" are not used
	// again.
	hands    map[int]*hand
	unusable map[int]bool
	ended    chan *hand
	opened   opened
	// files is the state of the run's own worktree. tip is the tip of the run's branch when this process last read or moved the branch.
	files checkpoint.WorktreeState
	tip   object.ID
	// onBranch has commits that are certainly on the branch: the tip when it was last read, and what was put on it since.
	onBranch map[object.ID]bool
	err      error
}

// Open prepares a crew and locks the mutex "turn", which Close unlocks. It returns a *JobsError if git is too old to merge without a
// worktree.
func (c *Crew) Open(ctx context.Context) error {
	c.hands, c.unusable, c.ended, c.opened = map[int]*hand{}, map[int]bool{}, make(chan *hand), opened{}
	c.landing = sync.NewCond(&c.turn)
	c.turn.Lock()
	// Compare versions here. A trial merge would not show that git is too old, because MergeTrees often does not call git.
	if process.OlderThan(c.Home.Version(ctx), mergingGit) {
		why := JobsOldGit
		if len(c.Host.Run().Places) > 0 {
			why = JobsBegun
		}
		return &JobsError{Run: c.Host.Run().ID, Why: why}
	}
	return c.lookAtTip(ctx)
}

// Close unlocks the mutex "turn", which Open has locked.
func (c *Crew) Close() { c.turn.Unlock() }

func (c *Crew) lookAtTip(ctx context.Context) error {
	tip, err := c.Home.Refs.Ref(ctx, c.Host.Run().Branch)
	c.isAt(tip)
	return err
}

// isAt stores the tip of the branch. It forgets which other commits are on the branch, because somebody else may have moved the branch.
func (c *Crew) isAt(tip object.ID) { c.tip, c.onBranch = tip, map[object.ID]bool{tip: true} }

// Work executes tasks until no further task can start and all have ended. Meanwhile, the HEAD of the run's own worktree is detached.
func (c *Crew) Work(ctx context.Context) (err error) {
	c.Pool.Store.Executing = c.Host.Run().ID
	defer func() { c.Pool.Store.Executing = "" }()
	if c.files, err = execution.DescribeFiles(ctx, c.Home, tasks.Watched(c.Plan)); err != nil {
		return err
	}
	if err := c.lookAtTip(ctx); err != nil {
		return err
	}
	// Create a place (the worktree of a task) first, because the journal then names it. From this, a later command knows why HEAD of the
	// run's own worktree is detached.
	if len(c.Host.Run().Places) == 0 {
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
	c.opened.close() // the worktree of a task cannot be removed while git processes of ours run in it
	return errors.Join(c.err, c.Pool.ReturnToBranch(ctx, c.Home, c.Host.Run()))
}

// rest unlocks the mutex "turn", so that other tasks can continue. The returned function locks it again.
func (c *Crew) rest() (back func()) {
	c.turn.Unlock()
	return c.turn.Lock
}

// loop starts all tasks that may start now, waits until a running task ends, and repeats this. It returns when no task is running and none
// can start.
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

// signal passes a signal on to all running tasks. No task starts after that.
func (c *Crew) signal(s os.Signal) {
	c.Cause = execution.CauseOf(s)
	c.Watch.Stopping()
	for _, h := range c.hands {
		select {
		case h.signals <- s:
		default: // the channel is full, because the task has not yet handled earlier signals
		}
	}
}

// startReady starts tasks that can start now. It lets at most c.Jobs tasks run at the same time, and starts none if halting returns true.
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

// halting reports whether no further task may start: after an error, a signal or a pause, or after a failed task if KeepGoing is false.
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

// collect notes how a task ended.
func (c *Crew) collect(h *hand) {
	delete(c.hands, h.n)
	if errors.Is(h.err, errInUse) { // the task starts again in another worktree, and this worktree is not used any more
		c.unusable[h.n] = true
		delete(c.Tried, checkpoint.TaskID(h.task.ID))
		return
	}
	switch {
	case errors.Is(h.err, execution.ErrPaused):
		c.Cause = execution.CausePaused // the tasks that are running go on to their end
	case h.err != nil && c.err == nil:
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
		delete(c.Tried, checkpoint.TaskID(h.task.ID)) // forget this attempt, so that the task is chosen again and its question asked when nothing else can run
	case checkpoint.Failed:
		c.Failed = append(c.Failed, checkpoint.TaskID(h.task.ID))
	case checkpoint.Active:
		if c.Cause == "" && h.err == nil {
			c.Cause = h.out.Cause // a signal ended the task, but has not reached this process yet
		}
	}
}

// number returns the number of a task in the run, and how many tasks the run has.
func (c *Crew) number(id checkpoint.TaskID) (n, of int) {
	r := c.Host.Run()
	for i, t := range r.Tasks {
		if t.ID == id {
			n = i + 1
		}
	}
	return n, len(r.Tasks)
}

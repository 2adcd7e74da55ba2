package resume

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/worktree"
)

// Watcher is told what happens while tasks run.
type Watcher interface {
	Begins(n, of int, task plan.Task, attempt int)
	Ends(n, of int, task plan.Task, out *execution.Outcome)
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
	// Doubt says what to do with a task that was cut off half way, where the plan leaves it open.
	Doubt plan.OnInterrupt
	// Owner, where set, is the claim under which to go on; Execute releases it.
	Owner *checkpoint.Owner
}

// Executed is where an execution came to rest.
type Executed struct {
	Journal *checkpoint.Journal
	Step    Step
	// Last is the outcome of the last task that ran; nil if none did.
	Last *execution.Outcome
	// Failed are the tasks that failed.
	Failed []checkpoint.TaskID
	// Stopped: a signal ended it.
	Stopped bool
}

// TreeError says that the worktree of a run is not there.
type TreeError struct {
	Run  checkpoint.RunID
	Path string
}

func (e *TreeError) Error() string {
	return fmt.Sprintf("the worktree of run '%s' is not at '%s'", e.Run, e.Path)
}

// DoubtError says that a task was cut off half way and nobody said what to do about it.
type DoubtError struct {
	Run     checkpoint.RunID
	Task    checkpoint.TaskID
	Changes []string
	Saved   gitstate.OID
}

func (e *DoubtError) Error() string {
	return fmt.Sprintf("task '%s' was cut off half way", e.Task)
}

// Keep is the user's word that a cut-off task shall run again on top of what it left.
const Keep plan.OnInterrupt = "keep"

// Executable reports whether the next thing to do in a run is a command.
func (e *Engine) Executable(ctx context.Context, r *checkpoint.Run) bool {
	p, err := e.planOf(ctx, r)
	return err == nil && !r.Closed() && Next(p, r, nil).Kind == StepRun
}

// errStopped ends the loop when a signal came.
var errStopped = errors.New("stopped")

// Execute runs the tasks of a run that have commands, in order, until it can go no further.
func (e *Engine) Execute(ctx context.Context, id checkpoint.RunID, q ExecuteRequest) (*Executed, error) {
	x, err := e.executor(ctx, id, q)
	if err != nil {
		return nil, err
	}
	defer x.close()
	if err := x.settle(ctx); err != nil {
		return nil, err
	}
	err = x.loop(ctx)
	if errors.Is(err, errStopped) {
		x.out.Stopped, err = true, nil
	}
	return &x.out, err
}

// executor executes one run as its owner.
type executor struct {
	*Engine
	q      ExecuteRequest
	repo   *gitstate.Repo
	owner  *checkpoint.Owner
	plan   plan.Plan
	runner *execution.Runner
	config *gitstate.Config
	tried  map[checkpoint.TaskID]bool
	out    Executed
}

func (e *Engine) executor(ctx context.Context, id checkpoint.RunID, q ExecuteRequest) (*executor, error) {
	j, err := e.Store.Find(ctx, id)
	if err != nil {
		return nil, err
	}
	if j.Run.Closed() {
		return nil, &ClosedError{ID: id, State: checkpoint.StateOf(&j.Run, checkpoint.Life{}, e.Now(), idleAfter)}
	}
	x := &executor{Engine: e, q: q, tried: map[checkpoint.TaskID]bool{}}
	if x.plan, err = e.planOf(ctx, &j.Run); err != nil {
		return nil, err
	}
	place, ok := e.treeOf(&j.Run)
	if !ok {
		return nil, &TreeError{Run: id, Path: j.Run.Worktree}
	}
	x.repo = e.Repo.At(place)
	if x.config, err = x.repo.Config(ctx); err != nil {
		return nil, err
	}
	return x, x.take(ctx, id)
}

// take makes this process the owner of the run.
func (x *executor) take(ctx context.Context, id checkpoint.RunID) error {
	var err error
	if x.owner = x.q.Owner; x.owner == nil {
		if x.owner, err = x.claim(ctx, id); err != nil {
			return err
		}
	}
	limit := int64(16 << 20)
	if v, ok := x.config.Get("resume.loglimit"); ok {
		if limit, err = size(v); err != nil {
			return fmt.Errorf("setting 'resume.logLimit' is '%s': %w", v, err)
		}
	}
	stdout, stderr := x.q.Watch.Streams()
	inTree := *x.Engine
	inTree.Repo = x.repo
	x.runner = &execution.Runner{
		Repo: x.repo, Store: x.Store, Append: x.owner.Append, Now: x.Now, Procs: x.Procs, Env: x.q.Env,
		Output: stdout, ErrOutput: stderr, Stdin: x.q.Stdin, TTY: x.q.TTY, Signals: x.q.Signals, Grace: 10 * time.Second, LogLimit: limit,
		Snapshot: func(ctx context.Context, cause string) (worktree.Snapshot, error) {
			return inTree.snapshot(ctx, id, cause)
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

// planOf reads the plan that a run follows.
func (e *Engine) planOf(ctx context.Context, r *checkpoint.Run) (plan.Plan, error) {
	if r.Plan == "" {
		return plan.Plan{Name: r.Name}, nil
	}
	data, err := e.Store.Document(ctx, r.Plan)
	if err != nil {
		return plan.Plan{}, fmt.Errorf("read the plan of %s: %w", r.ID, err)
	}
	return plan.Decode(data)
}

func (x *executor) run() *checkpoint.Run { return &x.out.Journal.Run }

// loop takes one step after the other.
func (x *executor) loop(ctx context.Context) error {
	for {
		step := Next(x.plan, x.run(), x.tried)
		x.out.Step = step
		switch step.Kind {
		case StepRun:
			if err := x.attempt(ctx, step.Task); err != nil {
				return err
			}
		case StepAsk:
			return x.ask(ctx, step.Task)
		case StepFinish:
			return x.finish(ctx)
		default:
			return nil
		}
		if len(x.out.Failed) > 0 && !x.q.KeepGoing {
			return nil
		}
	}
}

// attempt runs a task, again if it may be retried.
func (x *executor) attempt(ctx context.Context, t plan.Task) error {
	id := checkpoint.TaskID(t.ID)
	x.tried[id] = true
	missing, err := x.needsApproval(plan.Plan{Tasks: []plan.Task{t}})
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		return &UntrustedError{Run: x.run().ID, Task: id, Commands: missing}
	}
	for try := 0; ; try++ {
		if err := x.once(ctx, t, try); err != nil {
			return err
		}
		out := x.out.Last
		if out.State != checkpoint.Failed || try >= t.Retries || !retryable(out.Cause) {
			break
		}
		if err := x.backOff(try); err != nil {
			return err
		}
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
	x.q.Watch.Begins(n, of, t, try+1)
	out, err := x.runner.Do(ctx, x.job(ctx, t))
	if err != nil {
		return err
	}
	x.out.Last, x.out.Journal = out, out.Journal
	x.q.Watch.Ends(n, of, t, out)
	return nil
}

func (x *executor) job(ctx context.Context, t plan.Task) execution.Job {
	r := x.run()
	return execution.Job{
		Run: r.ID, Branch: r.Branch, Task: checkpoint.TaskID(t.ID), Title: t.Title, Shell: t.Run,
		Timeout: t.Timeout.Value(), Commit: !r.Here, Inputs: t.Inputs, NoVerify: x.q.NoVerify,
		NoTrailers: !x.config.Bool("resume.trailers", true), BaseTip: x.baseTip(ctx, r),
	}
}

// baseTip is where the base branch stands now.
func (e *Engine) baseTip(ctx context.Context, r *checkpoint.Run) gitstate.OID {
	if r.Base.Name == "" {
		return r.Base.Commit
	}
	if at, err := e.Repo.Ref(ctx, "refs/heads/"+r.Base.Name); err == nil && at != "" {
		return at
	}
	return r.Base.Commit
}

// backOff waits before another try: one second, then twice as long each time, half a minute at most.
func (x *executor) backOff(try int) error {
	t := time.NewTimer(min(time.Second<<min(try, 5), 30*time.Second))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-x.q.Signals:
		return errStopped
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

// finish closes a run whose tasks are all closed. One that never had any grows by reports and is ended by a person.
func (x *executor) finish(ctx context.Context) error {
	if len(x.plan.Tasks) == 0 {
		x.out.Step = Step{Kind: StepReport}
		return nil
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
	x.release(j)
	return nil
}

// release unlocks the worktree of a run that is over, so that git's own commands may handle it.
func (e *Engine) release(j *checkpoint.Journal) {
	if j.Run.Here || !j.Run.Closed() {
		return
	}
	if place, ok := e.treeOf(&j.Run); ok {
		t := worktree.Tree{Path: place.WorkTree, Admin: place.GitDir}
		_ = worktree.Unlock(t, string(j.Run.ID)) // a lock that stays is no loss
	}
}

// settle decides about a task that was begun and not ended before anything else runs.
func (x *executor) settle(ctx context.Context) error {
	if err := x.recordLanded(ctx); err != nil {
		return err
	}
	for i := range x.run().Tasks {
		if t := x.run().Tasks[i]; t.State == checkpoint.Active {
			if err := x.settleTask(ctx, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// recordLanded writes down commits that finished a task although the journal does not know.
func (x *executor) recordLanded(ctx context.Context) error {
	landed, err := x.Store.Landed(ctx, x.run())
	if err != nil || len(landed) == 0 {
		return err
	}
	j, err := x.owner.Append(ctx, func(r *checkpoint.Run) ([]checkpoint.Event, error) {
		return foundEvents(r, landed, ""), nil
	})
	if err == nil {
		x.out.Journal = j
	}
	return err
}

// foundEvents records landed commits; a task that is reported in the same breath is left out.
func foundEvents(r *checkpoint.Run, landed []checkpoint.Evidence, but checkpoint.TaskID) []checkpoint.Event {
	var out []checkpoint.Event
	for _, l := range landed {
		t := r.Task(l.Task)
		if l.Task == but || l.Task == "" || (t != nil && t.State == checkpoint.Done) {
			continue
		}
		ev := checkpoint.Event{
			Event: checkpoint.TaskDone, Task: l.Task, Commit: l.Commit.ID, Tree: l.Commit.Tree, Found: true, Head: l.Commit.ID,
		}
		if t != nil {
			ev.Attempt = t.Attempt
		}
		out = append(out, ev)
	}
	return out
}

// settleTask finds out how far a cut-off task came: not at all, or part of the way.
// Part of the way is what the plan's policy decides; without one a person must.
func (x *executor) settleTask(ctx context.Context, t checkpoint.Task) error {
	changes, err := x.repo.Status(ctx)
	if err != nil {
		return err
	}
	_, head, err := x.repo.Head(ctx)
	if err != nil {
		return err
	}
	if len(changes) == 0 && head == t.FromHead {
		return nil // nothing of it is there: it simply runs
	}
	spec := x.spec(t.ID)
	policy := spec.OnInterrupt
	if policy == "" {
		policy = x.q.Doubt
	}
	if x.q.Doubt == Keep {
		policy = Keep
	}
	switch policy {
	case Keep:
		return nil
	case plan.Retry:
		return x.clear(ctx, t, changes)
	case plan.Verify:
		return x.verify(ctx, t, spec, changes)
	}
	return x.doubt(ctx, t, changes)
}

func (x *executor) spec(id checkpoint.TaskID) plan.Task {
	for _, t := range x.plan.Tasks {
		if t.ID == string(id) {
			return t
		}
	}
	return plan.Task{}
}

func (x *executor) doubt(ctx context.Context, t checkpoint.Task, changes []gitstate.Change) error {
	snap, err := x.runner.Snapshot(ctx, "task "+string(t.ID)+" was cut off")
	if err != nil {
		return err
	}
	d := &DoubtError{Run: x.run().ID, Task: t.ID, Saved: snap.ID}
	for _, c := range changes {
		d.Changes = append(d.Changes, c.Path)
	}
	return d
}

// clear gives a cut-off task a clean tree; what it had left is in a snapshot first.
// In the user's own tree nothing is ever cleared.
func (x *executor) clear(ctx context.Context, t checkpoint.Task, changes []gitstate.Change) error {
	if len(changes) == 0 {
		return nil
	}
	if x.run().Here {
		return x.doubt(ctx, t, changes)
	}
	snap, err := x.runner.Snapshot(ctx, "task "+string(t.ID)+" is run again from a clean tree")
	if err != nil {
		return err
	}
	if len(snap.Left) > 0 && hasUnsaved(snap.Left) {
		return x.doubt(ctx, t, changes)
	}
	j, err := x.owner.Append(ctx, func(*checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{{Event: checkpoint.Snapshot, Commit: snap.ID, Text: "run again from a clean tree"}}, nil
	})
	if err != nil {
		return err
	}
	x.out.Journal = j
	return cleanTree(ctx, x.repo)
}

// hasUnsaved reports whether something that a clean-up would remove is not in the snapshot.
func hasUnsaved(left []worktree.Left) bool {
	for _, l := range left {
		if l.Kind == worktree.Large || l.Kind == worktree.Unreadable || l.Kind == worktree.Nested {
			return true
		}
	}
	return false
}

// cleanTree makes a staging worktree what HEAD says; ignored files stay.
func cleanTree(ctx context.Context, r *gitstate.Repo) error {
	lock := []string{filepath.Join(r.GitDir, "index.lock")}
	for _, args := range [][]string{{"reset", "-q", "--hard"}, {"clean", "-fdq"}} {
		if _, err := r.Git(ctx, gitstate.Call{Args: args, Mode: gitstate.Write, Locks: lock}); err != nil {
			return fmt.Errorf("clean the tree: %w", err)
		}
	}
	return nil
}

// verify lets the plan's own test decide whether a cut-off task came to its end.
func (x *executor) verify(ctx context.Context, t checkpoint.Task, spec plan.Task, changes []gitstate.Change) error {
	missing, err := x.needsApproval(plan.Plan{Tasks: []plan.Task{spec}})
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		return &UntrustedError{Run: x.run().ID, Task: t.ID, Commands: missing}
	}
	ok, err := x.runner.Verify(ctx, x.job(ctx, spec), spec.Verify)
	if err != nil {
		return err
	}
	if !ok {
		return x.clear(ctx, t, changes)
	}
	out, err := x.runner.Accept(ctx, x.job(ctx, spec), t.Attempt)
	if err == nil {
		x.out.Journal = out.Journal
	}
	return err
}

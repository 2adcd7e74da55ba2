package reporting

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/commit"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/agents/session"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/drivers"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// taskReport handles one report.
type taskReport struct {
	*site.Site
	reporter *Reporter
	q        TaskReport
	j        *journal.Journal
	actor    *checkpoint.Actor
	clone    string
	over     bool

	task   checkpoint.TaskID
	commit commit.Result
	made   bool
	left   int
	others []string
	branch refs.Name
	head   object.ID
	// place is the task's own worktree, if the report was given there; nil in the run's own worktree. Tasks have their own worktrees if
	// several of them work at the same time.
	place  *checkpoint.Place
	base   object.ID
	patch  string
	landed []checkpoint.Evidence
	saved  snapshot.Snapshot
	// staged lists paths whose staged content will be replaced by the commit. stagedIn is the snapshot that contains the staged content.
	staged   []string
	stagedIn snapshot.Snapshot
	// onto and before say how the user's own worktree was when the task started.
	onto   object.ID
	before checkpoint.WorktreeState
}

// open loads a run for a report and checks whether the reporter may report on it.
func (e *Reporter) open(ctx context.Context, id checkpoint.RunID, owner int, takeover bool) (*taskReport, error) {
	if err := e.Store.Remember(ctx); err != nil {
		return nil, err
	}
	clone, err := e.Clone()
	if err != nil {
		return nil, err
	}
	actor, err := e.Driver(owner, clone)
	if err != nil {
		return nil, err
	}
	j, err := e.Find.Journal(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := site.MustOwn(&j.Run); err != nil && !j.Run.Closed() {
		return nil, err // the run is from another clone, and only a person who has seen its commits may take it over
	}
	if actor != nil && e.Owner == j.Run.Nonce {
		actor.Nonce = e.Owner
	}
	d := &taskReport{Site: e.Site, reporter: e, j: j, actor: actor, clone: clone, over: takeover}
	return d, d.allowed(&j.Run)
}

// allowed returns an error if the run is closed, or if it belongs to another worker that is alive. It also returns an error if we cannot
// check whether that worker is alive, unless the user passed --takeover. Processes that the run's worker started may report too.
func (d *taskReport) allowed(r *checkpoint.Run) error {
	if r.Closed() {
		return &candidate.ClosedError{ID: r.ID, State: checkpoint.StateOf(r, checkpoint.Life{}, d.Now(), candidate.IdleAfter)}
	}
	if d.Owner != "" && d.Owner == r.Nonce {
		return nil // the process that executes the run started the reporter, directly or through a task
	}
	if p := site.PlaceHere(d.Site, r); p != nil && owner.IsWorkerAt(d.Store, r.ID, p.N, d.Procs, d.PID) {
		return nil // the reporter's environment does not show who started it, but it descends from the process that works in this worktree
	}
	if busy := owner.Busy(d.Store, r.ID); busy != nil {
		return busy
	}
	if r.Driver == nil || r.Driver.Same(d.actor) || session.SameSession(r.Driver, d.actor) || r.Resting() {
		return nil
	}
	if rec, ok := drivers.In(d.Site).Book.Get(r.Driver.Agent, r.Driver.Session); ok && rec.Actor.Same(d.actor) {
		return nil // the reporter's process had the worker's session before its own
	}
	switch drivers.DriverFate(d.Site, r) {
	case proc.Alive:
		if d.Procs.Descends(d.PID, r.Driver.PID, r.Driver.Start) {
			return nil
		}
		return &owner.HeldError{Run: r.ID, By: r.Driver, Reports: true}
	case proc.Unknown:
		if !d.over {
			return &UncheckedError{Run: r.ID, By: r.Driver, Last: r.LastAt}
		}
	}
	return nil
}

// UncheckedError says that the run's last worker may still be alive.
// We cannot check this, for example because the worker ran on another machine.
type UncheckedError struct {
	Run  checkpoint.RunID
	By   *checkpoint.Actor
	Last time.Time
	// NoTakeover is true if the command has no option --takeover.
	NoTakeover bool
}

func (e *UncheckedError) Error() string {
	return fmt.Sprintf("it cannot be checked from here whether the last worker of run '%s', on '%s', is still alive", e.Run, cmp.Or(e.By.Host, "an unknown machine"))
}

// becomesDriver reports whether the reporter becomes the new worker of the run. The result is false in the worktree of a single task. It is
// also false if the reporter was started by the process that executes the run.
func (d *taskReport) becomesDriver(r *checkpoint.Run) bool {
	if d.actor == nil || (d.Owner != "" && d.Owner == r.Nonce) || d.place != nil {
		return false
	}
	if r.Driver.Same(d.actor) { // one process can have several sessions, one after the other
		return r.Driver.Clone != d.actor.Clone || d.actor.Session != "" && !session.SameSession(r.Driver, d.actor)
	}
	// If the recorded worker is a terminal's shell, a script replaces it. After the death of the script, the shell would live on, and
	// the run would look as if somebody were still working on it.
	return r.Driver == nil || r.Driver.Fate(d.Procs, d.clone) != proc.Alive || (r.Driver.Shell && !d.actor.Shell)
}

// driven returns the events to record before a report that comes from another worker than the one before. The reporter may be a session of
// a coding agent that works below the worker's process. Then only the session is recorded, in the middle of its turn, so that this session
// can be continued.
func (d *taskReport) driven(r *checkpoint.Run) (events []checkpoint.Event) {
	becomes := d.becomesDriver(r)
	if becomes {
		events = append(events, d.addLocation(checkpoint.Event{Event: checkpoint.RunDriven, Actor: d.actor}))
	}
	if d.actor == nil || d.actor.Session == "" || d.place != nil || session.SameSession(r.Agent, d.actor) {
		return events
	}
	// Without hooks nobody reports the end of a turn.
	if _, heard := drivers.In(d.Site).Book.Get(d.actor.Agent, d.actor.Session); heard || !becomes {
		by := &checkpoint.Actor{Agent: d.actor.Agent, Session: d.actor.Session, Clone: d.clone, Nonce: d.actor.Nonce}
		events = append(events, checkpoint.Event{Event: checkpoint.TurnStarted, Actor: by})
	}
	return events
}

// treePatience is how long we wait for another report in the same worktree. That report may be running the user's git hooks.
const treePatience = 10 * time.Minute

// prepare checks the worktree and the task, and finds or makes the commit for a report of "done".
func (d *taskReport) prepare(ctx context.Context) error {
	if err := d.reload(ctx); err != nil {
		return err
	}
	if err := d.findTask(); err != nil {
		return err
	}
	if err := d.checkPlace(ctx); err != nil {
		return err
	}
	if t := d.j.Run.Task(d.task); d.q.Verb == Done && (t == nil || t.State != checkpoint.Done || t.Found) {
		return d.commitDone(ctx)
	}
	if d.q.Verb == Start && d.j.Run.Here && d.place == nil {
		return d.lookBefore(ctx)
	}
	return nil
}

// lookBefore finds out which files are uncommitted in the user's own worktree before a task. They will not be part of the task's commit.
func (d *taskReport) lookBefore(ctx context.Context) error {
	onto, before, err := d.reporter.Staging.Baseline(ctx, d.Repo, &d.j.Run, d.task)
	if d.onto = onto; err != nil {
		return err
	}
	if before != nil {
		d.before = *before
		return nil
	}
	d.before, err = execution.DescribeFiles(ctx, d.Repo, []string{execution.AllFiles})
	return err
}

// reload reads the run again, because another report may have arrived while we waited for the lock of the worktree.
func (d *taskReport) reload(ctx context.Context) error {
	j, err := d.Store.Load(ctx, d.j.Run.ID)
	if err != nil {
		return err
	}
	if j.Run.Discarded && !d.j.Run.Discarded {
		return &candidate.ClosedError{ID: j.Run.ID, State: checkpoint.Discarded}
	}
	if d.landed, err = d.Store.History().Landed(ctx, &j.Run); err != nil {
		return err
	}
	d.j = j
	d.j.Run.Include(d.landed)
	return nil
}

// findTask finds the task by its id, its number, or a unique beginning of its id. If the report may add a task, only the whole id counts,
// and a new id is accepted.
func (d *taskReport) findTask() error {
	r, given := &d.j.Run, d.q.Task
	if err := checkTaskID(given); err != nil {
		return err
	}
	if r.Task(checkpoint.TaskID(given)) != nil {
		d.task = checkpoint.TaskID(given)
		return nil
	}
	if n, err := strconv.Atoi(given); err == nil && n >= 1 && n <= len(r.Tasks) && !d.q.Add {
		d.task = r.Tasks[n-1].ID
		return nil
	}
	var like []checkpoint.TaskID
	for _, t := range r.Tasks {
		if strings.HasPrefix(string(t.ID), given) {
			like = append(like, t.ID)
		}
	}
	switch {
	case d.q.Add:
		d.task = checkpoint.TaskID(given)
	case len(like) == 1:
		d.task = like[0]
	default:
		return &candidate.NoTaskError{Run: r.ID, Given: given, Like: like, Addable: d.q.Verb == Start || d.q.Verb == Done || d.q.Verb == Block}
	}
	return nil
}

// checkTaskID refuses ids that would not fit in a commit trailer, in a reflog message, or on one line.
func checkTaskID(id string) error {
	bad := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r))
	}
	switch {
	case id == "":
		return &candidate.TextError{What: "the task's id", Why: "is empty"}
	case len(id) > 64:
		return &candidate.TextError{What: "the task's id", Why: "is longer than 64 characters"}
	case strings.HasPrefix(id, "-") || strings.ContainsFunc(id, bad):
		return &candidate.TextError{What: fmt.Sprintf("the task's id %q", id), Why: "may have letters, digits, '.', '_' and '-' only"}
	}
	return nil
}

// checkPlaceTask checks a report that was sent from the separate worktree of one task. There are such worktrees if several tasks run at the
// same time. It refuses a report about another task, except a report that adds a task. If no task uses the worktree now, it refuses every
// report.
func (d *taskReport) checkPlaceTask(r *checkpoint.Run) error {
	t := r.Task(d.place.Task)
	if t == nil || t.Place != d.place.N {
		return &WrongPlaceError{Run: r.ID, What: "idle", Here: d.Repo.WorkTree}
	}
	if d.task != "" && d.task != t.ID && d.q.Verb != Add {
		return &WrongPlaceError{Run: r.ID, What: "task", Here: string(t.ID), Want: string(d.task)}
	}
	return nil
}

// checkPlace refuses reports from another worktree, and reports about a run whose worktree was never ready. It refuses to start or finish a
// task on another branch, during a git operation, or while a restore is incomplete.
func (d *taskReport) checkPlace(ctx context.Context) error {
	r := &d.j.Run
	if r.Admin == "" && !r.Here && !r.Rebuilt {
		return &NotReadyError{Run: r.ID} // the checkout may be incomplete, and a commit would delete the missing files
	}
	if d.place = site.PlaceHere(d.Site, r); d.place != nil {
		if err := d.checkPlaceTask(r); err != nil {
			return err
		}
	} else if r.Admin != "" && !d.WorksHere(r) {
		p, _ := d.TreeOf(r)
		return &WrongPlaceError{Run: r.ID, What: "worktree", Here: d.Repo.WorkTree, Want: p.WorkTree}
	}
	var err error
	if d.branch, d.head, err = d.Repo.Refs.Head(ctx); err != nil {
		return err
	}
	d.base = r.Base.Commit
	if r.Base.Name != "" {
		if at, err := d.Repo.Refs.Ref(ctx, refs.Branch(r.Base.Name)); err == nil && at != "" {
			d.base = at
		}
	}
	if d.q.Verb != Start && d.q.Verb != Done {
		return nil
	}
	if op := ongoing.OperationIn(d.Repo); op != ongoing.NoOperation {
		return &WrongPlaceError{Run: r.ID, What: "operation", Here: string(op)}
	}
	if u := snapshot.FindUnfinished(d.Repo.GitDir); u != nil { // we hold the lock of the worktree, so an unfinished restore was killed
		return &site.HalfRestoredError{HalfRestored: site.HalfRestored{Unfinished: u, Tree: d.Repo.WorkTree}}
	}
	if h := site.UnfinishedMerge(d.Repo); h != nil {
		return &site.HalfMergedError{HalfMerged: *h}
	}
	return d.onBranch(ctx)
}

// WrongPlaceError says that a report does not fit the worktree in which it was given, for example because another branch is checked out.
type WrongPlaceError struct {
	Run checkpoint.RunID
	// What is "worktree" if the run has another worktree, "branch" if the run works on another branch, and "operation" if a git operation
	// is in progress. Three more values are for the worktree of a single task: "task" if the report is about another task, "idle" if no task
	// uses the worktree now, and "attached" if a branch is checked out although the task works on a detached HEAD.
	What string
	// Here is the worktree, branch, operation or task that was found. The field Want is what was expected instead, or empty.
	Here string
	Want string
}

func (e *WrongPlaceError) Error() string {
	switch e.What {
	case "branch":
		switch {
		case e.Here == "":
			return fmt.Sprintf("run '%s' works on branch '%s', but HEAD is detached", e.Run, e.Want)
		case e.Want == "":
			return fmt.Sprintf("run '%s' works on a detached HEAD, but branch '%s' is checked out", e.Run, e.Here)
		}
		return fmt.Sprintf("run '%s' works on branch '%s', but '%s' is checked out", e.Run, e.Want, e.Here)
	case "operation":
		return fmt.Sprintf("a git %s is in progress in the worktree of run '%s'", e.Here, e.Run)
	case "task":
		return fmt.Sprintf("task '%s' works in this worktree, not task '%s'", e.Here, e.Want)
	case "idle":
		return fmt.Sprintf("no task of run '%s' works in this worktree now", e.Run)
	case "attached":
		return fmt.Sprintf("branch '%s' is checked out here, but task '%s' works on a detached HEAD", e.Here, e.Want)
	default:
		return fmt.Sprintf("run '%s' works in another worktree", e.Run)
	}
}

// NotReadyError says that the worktree of a run was never complete in this clone. The start of the run was interrupted before that, or the
// run was taken over and not continued yet.
type NotReadyError struct{ Run checkpoint.RunID }

func (e *NotReadyError) Error() string {
	return fmt.Sprintf("run '%s' has no complete worktree in this clone yet", e.Run)
}

// onBranch accepts the run's branch, and also its new name if the branch was renamed. In the worktree of a single task, it accepts only a
// detached HEAD.
func (d *taskReport) onBranch(ctx context.Context) error {
	r := &d.j.Run
	if d.place != nil && d.branch != "" {
		return &WrongPlaceError{Run: r.ID, What: "attached", Here: site.ShortBranch(d.branch), Want: string(d.place.Task)}
	}
	if d.place != nil || d.branch == r.Branch {
		return nil
	}
	wrong := &WrongPlaceError{Run: r.ID, What: "branch", Here: refs.Short(d.branch), Want: refs.Short(r.Branch)}
	if r.Branch == "" || d.branch == "" {
		return wrong
	}
	gone, err := d.Repo.Refs.Ref(ctx, r.Branch)
	if err != nil || gone != "" {
		return wrong
	}
	if within, err := past.IsAncestor(ctx, d.Repo, r.Head, d.head); err != nil || !within {
		return wrong
	}
	return nil
}

// KeptError wraps the error of a refused commit, after the uncommitted work was saved in a snapshot.
type KeptError struct {
	Err      error
	Snapshot string // the name of the snapshot; empty if there was nothing to save
}

func (e *KeptError) Error() string { return e.Err.Error() }

func (e *KeptError) Unwrap() error { return e.Err }

// saveAfterRefusal saves the uncommitted work if one of the user's hooks refused the commit, and returns a *KeptError. Other errors stay as
// they are.
func (d *taskReport) saveAfterRefusal(ctx context.Context, err error) error {
	var hook *commit.HookError
	if !errors.As(err, &hook) {
		return err
	}
	snap, saveErr := d.reporter.Staging.Snapshot(ctx, d.Repo, d.j.Run.ID, "the "+hook.Hook+" hook refused")
	if saveErr != nil {
		return errors.Join(err, saveErr)
	}
	return &KeptError{Err: err, Snapshot: snap.Label()}
}

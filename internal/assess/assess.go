package assess

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/conflicts/clash"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/internal/tasks"
	"github.com/git-resume/git-resume/worktree"
	"github.com/git-resume/git-resume/worktree/place"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// Judge tells what is true of work that could be continued.
type Judge struct {
	*site.Site
	Find    *candidate.Finder
	Tasks   *tasks.Tasks
	Staging *staging.Stager
	Adopt   *adopt.Adopter
}

// Mend is a step that must be taken before a run can go on.
type Mend string

// The steps.
const (
	MendRecreate Mend = "recreate the worktree"
	MendMake     Mend = "make the worktree"
	MendRepair   Mend = "repair the worktree's registration"
	MendBranch   Mend = "bring the branch back"
	MendUpdate   Mend = "commit the update that was cut off"
	MendFollow   Mend = "follow the renamed branch"
)

// Assessment is everything that is known of a run before anybody decides about it.
type Assessment struct {
	Summary candidate.Summary
	Plan    plan.Plan
	// NewPlan is the plan that the run will follow once somebody agrees; everything is judged as if it did.
	NewPlan *PlanChange
	candidate.Picture
	Point tasks.Step
	// Link is on the way to a worktree that is still to be made, and keeps it from being made.
	Link     string
	Snapshot snapshot.Snapshot
	// Conflicts compares what the run touched with what changed since; nil if nothing had to be compared.
	Conflicts *conflicts.Report
	Touched   int
	Mends     []Mend
	// Written is how long ago a file of another system's state was changed; zero if that is not known.
	Written time.Duration
	// Below: whoever asks is, or was started by, the driver itself: it only wants to know where it stands.
	Below bool
	// Survivor is the newest commit of the run that is still here where its branch is lost,
	// and Redo the place (from 1) of the first task that must be done again from there.
	Survivor object.ID
	Redo     int
	// Renamed is the branch that the run's own was renamed to, if it was.
	Renamed string
	Age     candidate.Age
	Silent  time.Duration

	// Going: conflicts do not keep it from going on, for the user said how. Cleared and Updated say what was done since.
	Going   bool
	Cleared bool
	Updated object.ID
	// Preflighted: the user has read every check.
	Preflighted bool

	Seen print
}

// Tip is where the branch stood when it was looked at; empty if it has none.
func (a *Assessment) Tip() object.ID { return a.Seen.Branch }

// ComparedBase reports that the base branch was looked at.
func (a *Assessment) ComparedBase() bool { return a.Seen.Base != "" }

// Reported: whoever drives the run does the work; there is no command to run.
func (a *Assessment) Reported() bool { return a.Point.Kind == tasks.StepReport }

// OnlyAsks: the driver itself asks where it stands, and nothing has to be done or decided first.
func (a *Assessment) OnlyAsks() bool {
	usable := a.Verdict == candidate.Clean || a.Verdict == candidate.Warnings
	return (a.Below || a.told()) && a.Reported() && usable && len(a.Mends) == 0 && !a.Has(candidate.FindPaused)
}

// told: the last thing that happened to the run is that somebody was told where it stands, and nothing has changed since.
func (a *Assessment) told() bool {
	r := &a.Summary.Run
	nobody := r.Driver == nil || a.Summary.Life.Driver == proc.Dead
	return (r.LastEvent == checkpoint.RunResumed || r.LastEvent == checkpoint.RunDriven && r.Driver == nil) && r.Ours() && nobody &&
		a.Seen.Branch == r.Head && (a.Seen.Base == "" || a.Seen.Base == r.BaseTip) && !a.Has(candidate.FindAlive, candidate.FindIdle)
}

// print is what must be the same when the answer comes as when the question was asked.
type print struct {
	Events       int
	Branch, Base object.ID
	// saved: what was uncommitted is in a snapshot, whose tree is this.
	Saved       bool
	Uncommitted object.ID
	// found is what another system's own state said.
	Found string
}

// assessor collects the findings about one run.
type assessor struct {
	*site.Site
	judge *Judge
	a     *Assessment
	mode  AssessMode
	repo  *gitstate.Repo // the run's worktree; nil if it is not there
	// looked: what is uncommitted in it is known.
	looked bool
}

// AssessMode says whether an assessment may write.
type AssessMode int

const (
	// OnlyLook writes nothing; what is uncommitted is named and not compared.
	OnlyLook AssessMode = iota
	// AndSave puts what is uncommitted into one snapshot, and compares it too.
	AndSave
)

// Assess looks at a run from all sides.
func (e *Judge) Assess(ctx context.Context, id checkpoint.RunID, mode AssessMode) (*Assessment, error) {
	return e.AssessWith(ctx, id, mode, nil)
}

// AssessWith is Assess for a run that shall follow another plan, if one is given.
func (e *Judge) AssessWith(ctx context.Context, id checkpoint.RunID, mode AssessMode, p *PlanChange) (*Assessment, error) {
	if candidate.Foreign(id) {
		s, err := e.Find.Lookup(ctx, id)
		if err != nil {
			return nil, err
		}
		return e.assessForeign(ctx, s, mode)
	}
	s, err := e.Detail(ctx, id)
	if err != nil {
		return nil, err
	}
	if s.Run.Source != "" {
		if s, err = e.Find.Lookup(ctx, id); err != nil {
			return nil, err
		}
		if s.Found != nil {
			return e.assessForeign(ctx, s, mode)
		}
	}
	x := &assessor{Site: e.Site, judge: e, mode: mode, a: &Assessment{Summary: s, Silent: max(e.Now().Sub(s.Run.LastAt), 0)}}
	x.a.Age = AgeOf(x.a.Silent)
	if x.a.Plan, err = e.Tasks.PlanOf(ctx, &s.Run); err != nil {
		x.find(candidate.FindDamaged, candidate.Blocking, "its plan cannot be read: "+err.Error())
	}
	if p != nil && !s.Run.Closed() {
		if err := x.propose(ctx, p); err != nil {
			return nil, err
		}
	}
	if err := x.look(ctx); err != nil {
		return nil, err
	}
	x.progress()
	x.a.Point = x.point()
	x.a.Summary.Next = x.a.Point.Task.Run
	x.a.Verdict = verdictOf(x.a.Findings)
	x.a.Seen.Events = s.Run.Events
	return x.a, nil
}

// propose judges the run as if it followed the plan.
func (x *assessor) propose(ctx context.Context, p *PlanChange) (err error) {
	x.a.NewPlan, x.a.Plan = p, p.Plan
	x.a.Summary.Run = x.a.Summary.Run.Following(p.Event, p.Plan)
	if !x.a.Summary.Life.Held() {
		x.a.Summary.Invalid, err = x.judge.Tasks.ValidityIn(ctx, p.Plan, x.run())
	}
	return err
}

// look goes through everything. A fault found in a run that changed meanwhile is no fault of it:
// who discards it takes the worktree away under our eyes.
func (x *assessor) look(ctx context.Context) (err error) {
	for _, look := range []func(context.Context) error{
		x.life, x.journal, x.tree, x.branch, x.save, x.tasks, x.base, x.others,
	} {
		if err = look(ctx); err != nil {
			break
		}
	}
	if err != nil && x.changed(ctx) {
		err = errors.Join(candidate.ErrMoved, err)
	}
	if x.repo != nil {
		x.repo.Close()
	}
	return err
}

// changed reports whether somebody has worked on the run since it was looked up.
func (x *assessor) changed(ctx context.Context) bool {
	if x.repo != nil {
		if _, err := os.Stat(x.repo.WorkTree); errors.Is(err, os.ErrNotExist) {
			return true
		}
	}
	j, err := x.Store.Load(ctx, x.run().ID)
	return err == nil && j.Run.Events != x.run().Events
}

// point is where the run will go on: at the first finished task that must run again, else at the next open one.
func (x *assessor) point() tasks.Step {
	for _, t := range x.a.Plan.Order() {
		if _, again := x.a.Summary.Invalid[checkpoint.TaskID(t.ID)]; again && t.Run != "" {
			return tasks.Step{Kind: tasks.StepRun, Task: t}
		}
	}
	return tasks.Next(x.a.Plan, &x.a.Summary.Run, nil)
}

func (x *assessor) find(code candidate.Code, s candidate.Severity, text string, more ...string) {
	x.a.Findings = append(x.a.Findings, candidate.Finding{Code: code, Severity: s, Text: text, More: more})
}

func (x *assessor) run() *checkpoint.Run { return &x.a.Summary.Run }

// life looks at who works on the run.
func (x *assessor) life(context.Context) error {
	r, l := x.run(), x.a.Summary.Life
	x.a.Below = r.Ours() && (r.Driver != nil && !l.Held() && x.Procs.Descends(x.PID, r.Driver.PID, r.Driver.Start) ||
		l.Held() && x.Owner != "" && x.Owner == r.Nonce) // started by the owner itself
	switch {
	case x.a.Below && l.Held():
	case l.Held():
		text := "it is being executed"
		if busy := owner.Busy(x.Store, r.ID); busy != nil {
			text = busy.Error()
		}
		x.find(candidate.FindAlive, candidate.Blocking, text)
	case x.a.Below, l.Driver == proc.Alive && r.Resting():
	case l.Driver == proc.Alive && (x.a.Summary.State == checkpoint.Running || x.a.Summary.State == checkpoint.FailedRun && x.a.Silent <= candidate.IdleAfter):
		x.find(candidate.FindAlive, candidate.Blocking, fmt.Sprintf("process %d is at work on it", r.Driver.PID))
	case l.Driver == proc.Alive:
		x.find(candidate.FindIdle, candidate.Warning, fmt.Sprintf("process %d is alive, silent for %s", r.Driver.PID, x.a.Silent.Round(time.Minute)))
	case l.Owner == proc.Alive && r.Owner.PID != x.PID: // a lock file can be lost; its process is still no dead one
		x.find(candidate.FindUnchecked, candidate.Blocking, fmt.Sprintf("process %d took it and lives, but its lock is gone", r.Owner.PID))
	case !r.Ours(): // whoever worked on it did so elsewhere
	case r.Driver != nil && l.Driver == proc.Unknown, r.Driver == nil && r.Owner != nil && l.Owner == proc.Unknown:
		x.find(candidate.FindUnchecked, candidate.Blocking, "whoever worked on it cannot be checked from here")
	}
	if r.Paused {
		x.find(candidate.FindPaused, candidate.Warning, "it was stopped on purpose")
	}
	if x.a.Age == candidate.Stale {
		x.find(candidate.FindStale, candidate.Warning, "it has been silent for more than a week")
	}
	return nil
}

// journal looks at the record itself, and at who wrote it.
func (x *assessor) journal(ctx context.Context) error {
	r := x.run()
	x.provenance()
	if err := x.commits(ctx); err != nil {
		return err
	}
	if r.Unreadable > 0 {
		x.find(candidate.FindDamaged, candidate.Warning, fmt.Sprintf("%d lines of its journal cannot be read", r.Unreadable))
	}
	if r.Diverged {
		x.find(candidate.FindDiverged, candidate.Warning, "it was worked on in two places")
	}
	if r.Rebuilt {
		x.find(candidate.FindRebuilt, candidate.Warning, "its journal is not here; the state comes from commits")
	}
	for _, t := range r.Tasks {
		if t.Found && !r.Rebuilt {
			x.find(candidate.FindLanded, candidate.Info, fmt.Sprintf("task '%s' landed as %s before it was recorded", t.ID, t.Commit.Short()))
		}
	}
	return nil
}

// tree looks at the run's worktree; what can be mended becomes a step.
func (x *assessor) tree(ctx context.Context) error {
	r := x.run()
	if r.Here {
		if place, ok := x.TreeOf(r); ok {
			x.repo = x.Repo.At(place)
			x.a.Tree = worktree.Tree{Path: place.WorkTree, Admin: place.GitDir, Health: worktree.Usable, Operation: ongoing.OperationIn(x.repo)}
		}
		return x.here(ctx)
	}
	if r.Admin == "" && !r.Rebuilt && x.a.Summary.Life.Held() {
		x.find(candidate.FindTreeMissing, candidate.Info, "its worktree is being made")
		return x.newPlace(ctx)
	}
	if r.Admin == "" && !r.Rebuilt {
		text := "its start was cut off before its worktree was ready; it will be made anew"
		if r.Accepted != "" || !r.Ours() {
			text = "it has no worktree here; one will be made from its branch"
		}
		x.find(candidate.FindTreeMissing, candidate.Info, text)
		x.a.Mends = append(x.a.Mends, MendRecreate)
		return x.newPlace(ctx)
	}
	gone := "its worktree folder is gone; it will be made again from its branch"
	if r.Rebuilt || !r.Ours() {
		gone = "it has no worktree here; one will be made from its branch"
	}
	t, err := x.judge.Staging.Registered(ctx, r)
	if err != nil {
		return err
	}
	x.a.Tree = t
	switch t.Health {
	case worktree.Missing, worktree.Husk:
		if name, ok := x.savedBefore(ctx); ok {
			gone += "; uncommitted work was last saved as " + name
		}
		x.find(candidate.FindTreeMissing, candidate.Info, gone)
		x.a.Mends = append(x.a.Mends, MendRecreate)
		x.mayPlace(t.Path)
		return nil
	case worktree.Moved:
		return x.movedTree(t)
	case worktree.Plain, worktree.Foreign:
		text := fmt.Sprintf("what is at %s is not its worktree", t.Path)
		if t.Taken {
			text = fmt.Sprintf("%s is registered as another worktree", t.Path)
		}
		if t.Of != "" {
			text += " but one of " + t.Of
		}
		x.find(candidate.FindTreeForeign, candidate.Blocking, text)
		return nil
	case worktree.OtherBranch:
		if x.follows(ctx, t.Branch) {
			break
		}
		x.find(candidate.FindOtherBranch, candidate.Blocking, fmt.Sprintf("its worktree is on %s", site.ShortBranch(t.Branch)))
	}
	place, err := locate.Find(t.Path, nil)
	if err != nil {
		return err
	}
	x.repo = x.Repo.At(place)
	switch {
	case t.Health != worktree.MidOperation:
	case t.Operation == ongoing.Merge && x.ownUpdate(ctx):
		x.find(candidate.FindOperation, candidate.Info, fmt.Sprintf("taking %s in was cut off before its commit; it will be made", r.Base.Name))
		x.a.Mends = append(x.a.Mends, MendUpdate)
	default:
		x.find(candidate.FindOperation, candidate.Blocking, fmt.Sprintf("a %s is under way in its worktree", t.Operation))
	}
	return nil
}

// newPlace looks at where the run's first worktree will be made.
func (x *assessor) newPlace(ctx context.Context) error {
	c, err := x.Repo.Settings.Config(ctx)
	if err == nil {
		x.mayPlace(x.judge.Staging.TreeFor(c, x.run()).Path)
	}
	return err
}

// mayPlace looks whether a worktree may be made at a path: the repository may have a link on the way there.
func (x *assessor) mayPlace(path string) {
	var link *place.LinkError
	if path == "" || !errors.As(place.Safe(x.Repo, path), &link) {
		return
	}
	x.a.Link = link.Link
	shown := link.Link
	if main, ok := x.Repo.Main(); ok {
		if rel, err := filepath.Rel(main.WorkTree, link.Link); err == nil && filepath.IsLocal(rel) {
			shown = filepath.ToSlash(rel)
		}
	}
	x.find(candidate.FindTreePlace, candidate.Blocking, fmt.Sprintf("%s is a link to %s, and a worktree is not made through a link", shown, link.To))
}

// savedBefore names the last snapshot of a tree that is gone, if it was taken on top of what the branch has now:
// an older one holds what was committed since.
func (x *assessor) savedBefore(ctx context.Context) (name string, ok bool) {
	snap, err := snapshot.Newest(ctx, x.Repo, string(x.run().ID))
	if err != nil || snap.ID == "" || snap.Head == "" {
		return "", false
	}
	tip, err := x.Store.History().BranchTip(ctx, x.run())
	return snap.Name(), err == nil && snap.Head == tip
}

// movedTree looks at a tree where it lies now: git does not find it by its registration before that is mended.
func (x *assessor) movedTree(t worktree.Tree) error {
	text := fmt.Sprintf("its worktree was moved to %s", t.Now)
	if t.Now == t.Path {
		text = "the repository was moved, and not its worktree"
	}
	x.find(candidate.FindTreeMoved, candidate.Info, text+"; the registration will be mended")
	x.a.Mends = append(x.a.Mends, MendRepair)
	x.a.Tree.Path = t.Now
	place, err := MovedPlace(t)
	if err != nil {
		return err
	}
	x.repo = x.Repo.At(place)
	if t.Operation != ongoing.NoOperation {
		x.find(candidate.FindOperation, candidate.Blocking, fmt.Sprintf("a %s is under way in its worktree", t.Operation))
	} else if t.Branch != x.run().Branch {
		x.find(candidate.FindOtherBranch, candidate.Blocking, fmt.Sprintf("its worktree is on %s", site.ShortBranch(t.Branch)))
	}
	return nil
}

// MovedPlace is a moved tree together with its registration, which do not lead to each other.
func MovedPlace(t worktree.Tree) (locate.Place, error) {
	return locate.Find(t.Now, []string{"GIT_DIR=" + t.Admin, "GIT_WORK_TREE=" + t.Now})
}

// ownUpdate: the merge under way is one of ours that took the base into the run, nothing is left to resolve,
// and only its commit is missing.
func (x *assessor) ownUpdate(ctx context.Context) bool {
	const most = 1 << 16
	message, err := gitstate.ReadUpTo(filepath.Join(x.repo.GitDir, "MERGE_MSG"), most)
	if err != nil || !strings.HasPrefix(string(message), site.UpdateMessage(x.run())) {
		return false
	}
	unmerged, err := x.repo.Line(ctx, "ls-files", "--unmerged")
	return err == nil && unmerged == ""
}

// here judges a run that works in the user's own tree.
func (x *assessor) here(ctx context.Context) error {
	r := x.run()
	if x.repo == nil {
		x.find(candidate.FindTreeMissing, candidate.Blocking, "its worktree is not there")
		return nil
	}
	if op := x.a.Tree.Operation; op != ongoing.NoOperation {
		x.find(candidate.FindOperation, candidate.Blocking, fmt.Sprintf("a %s is under way in its worktree", op))
	}
	branch, _, err := x.repo.Refs.Head(ctx)
	if err != nil {
		return err
	}
	if branch != r.Branch {
		x.find(candidate.FindOtherBranch, candidate.Blocking, fmt.Sprintf("it works on %s, but %s is checked out", site.ShortBranch(r.Branch), site.ShortBranch(branch)))
	}
	return nil
}

// branch looks at what became of the run's own commits.
func (x *assessor) branch(ctx context.Context) error {
	r := x.run()
	tip, err := x.Store.History().BranchTip(ctx, r)
	if err != nil {
		return err
	}
	x.a.Seen.Branch = tip
	if x.repo != nil && tasks.Updated(ctx, x.repo, r, tip) != "" {
		return nil // the user ended an update of ours: that is where its commits come from
	}
	switch {
	case tip == "" && r.Admin == "" && !r.Rebuilt: // its start was cut off before there was one
	case tip == "" && r.Head != "" && x.exists(ctx, r.Head):
		x.find(candidate.FindBranchDeleted, candidate.Warning, fmt.Sprintf("branch %s was deleted; its last commit %s is still here", site.ShortBranch(r.Branch), r.Head.Short()))
		x.a.Mends = append([]Mend{MendBranch}, x.a.Mends...)
	case tip == "":
		x.lost(ctx)
	case r.Head != "" && tip != r.Head && !x.ancestor(ctx, r.Head, tip):
		x.find(candidate.FindBranchRewrote, candidate.Warning, fmt.Sprintf("branch %s was rewritten since the last record", site.ShortBranch(r.Branch)))
	case r.Head != "" && tip != r.Head && !r.Here:
		x.find(candidate.FindBranchForeign, candidate.Info, fmt.Sprintf("branch %s has commits that the run did not record", site.ShortBranch(r.Branch)))
	}
	return nil
}

// lost looks for what is left of a run whose branch and last commit are not here.
func (x *assessor) lost(ctx context.Context) {
	r := x.run()
	text := fmt.Sprintf("branch %s was deleted, and its last commit", site.ShortBranch(r.Branch))
	if r.Head != "" {
		text += " " + r.Head.Short()
	}
	more := []string{}
	x.a.Survivor, x.a.Redo = r.Base.Commit, 1
	for i, t := range r.Tasks {
		if t.State == checkpoint.Skipped || t.State == checkpoint.Done && t.Commit == "" {
			continue
		}
		if t.State != checkpoint.Done || !x.exists(ctx, t.Commit) {
			x.a.Redo = i + 1
			if t.State == checkpoint.Done {
				more = append(more, fmt.Sprintf("task %d, %s, was done as %s, which is not here", i+1, t.ID, t.Commit.Short()))
			}
			break
		}
		x.a.Survivor, x.a.Redo = t.Commit, i+2
	}
	if !x.exists(ctx, x.a.Survivor) {
		x.a.Survivor, x.a.Redo = "", 0
	} else if x.a.Redo > 1 {
		more = append([]string{fmt.Sprintf("what it made up to task %d is still here, as %s", x.a.Redo-1, x.a.Survivor.Short())}, more...)
	}
	x.find(candidate.FindBranchLost, candidate.Blocking, text+" is not here", more...)
}

// Redoable reports whether a lost branch can be made again for who redoes everything from a task on.
func (a *Assessment) Redoable(from string) bool {
	t := candidate.FindTask(&a.Summary.Run, from)
	if from == "" || t == nil || a.Survivor == "" || !a.Has(candidate.FindBranchLost) {
		return false
	}
	i := slices.IndexFunc(a.Summary.Run.Tasks, func(x checkpoint.Task) bool { return x.ID == t.ID })
	return i+1 <= a.Redo
}

func (x *assessor) exists(ctx context.Context, id object.ID) bool {
	_, err := x.Repo.Objects.Commit(ctx, string(id))
	return err == nil
}

func (x *assessor) ancestor(ctx context.Context, old, tip object.ID) bool {
	within, err := past.IsAncestor(ctx, x.Repo, old, tip)
	return err == nil && within
}

// save puts what is uncommitted into the one snapshot that is taken before the answer.
func (x *assessor) save(ctx context.Context) error {
	if x.repo == nil || x.a.Has(candidate.FindAlive) || x.run().Closed() {
		return nil
	}
	x.looked = true
	if x.mode == OnlyLook || x.a.Below || !x.run().Ours() && !x.run().Rebuilt { // nothing is written for a run that is not ours
		var err error
		x.a.Uncommitted, err = tasks.Uncommitted(ctx, x.repo)
		return err
	}
	snap, err := x.judge.Staging.Snapshot(ctx, x.repo, x.run().ID, "before going on")
	if err != nil {
		return err
	}
	x.a.Snapshot, x.a.Uncommitted = snap, snap.Paths
	x.a.Seen.Saved, x.a.Seen.Uncommitted = true, snap.Tree
	return nil
}

// tasks looks at what was begun, and at what is left to do.
func (x *assessor) tasks(ctx context.Context) error {
	r := x.run()
	if step := x.point(); step.Kind == tasks.StepAsk && r.Point == "" && !slices.ContainsFunc(r.Tasks, func(t checkpoint.Task) bool { return t.State == checkpoint.Active }) {
		r.Point = checkpoint.TaskID(step.Task.ID) // it comes before a later task that failed out of its turn
	}
	if q := r.Question(); q != nil && r.Begun() {
		x.find(candidate.FindQuestion, candidate.Warning, "it waits for an answer: "+q.Question)
	}
	for i := range r.Tasks {
		t := &r.Tasks[i]
		if t.State == checkpoint.Active && !x.a.Has(candidate.FindAlive) {
			x.cutOff(ctx, t)
		}
		if spec := tasks.SpecOf(x.a.Plan, t.ID); t.State == checkpoint.Failed && t.Attempts >= max(maxAttempts, spec.Retries+1) {
			x.find(candidate.FindAttemptsUsedUp, candidate.Warning, fmt.Sprintf("task '%s' has failed %d times", t.ID, t.Attempts))
		}
	}
	for _, t := range r.Tasks {
		if why, ok := x.a.Summary.Invalid[t.ID]; ok {
			x.find(candidate.FindInvalid, candidate.Warning, fmt.Sprintf("task '%s' must run again: %s", t.ID, why))
		}
	}
	missing, err := x.judge.Tasks.NeedsApproval(r.ID, x.a.Plan)
	if err != nil {
		return err
	}
	if len(missing) > 0 && !r.Closed() && x.a.NewPlan == nil { // who names a plan approves its commands
		x.find(candidate.FindUntrusted, candidate.Blocking, fmt.Sprintf("%d of its commands were not approved on this machine", len(missing)), missing...)
	}
	return x.planFile()
}

// maxAttempts is how often a task may fail before only a person lets it run again.
const maxAttempts = 3

// cutOff tells a task of which nothing is there from one that came part of the way.
func (x *assessor) cutOff(ctx context.Context, t *checkpoint.Task) {
	x.a.CutOff = t
	spec := tasks.SpecOf(x.a.Plan, t.ID)
	if x.repo == nil || tasks.OnlyReported(x.a.Plan, *t) {
		return
	}
	job := execution.Job{Run: x.run().ID, Own: !x.run().Here, Inputs: spec.Inputs, Outputs: spec.Outputs}
	var seen tasks.Traces
	var err error
	if x.looked {
		seen, err = tasks.CompareWith(ctx, x.repo, *t, job, x.a.Uncommitted)
	} else {
		seen, err = tasks.LookFor(ctx, x.repo, *t, job)
	}
	seen.Moved = seen.Moved && !x.onlyRebased(ctx)
	if shelf, err := ShelvedWork(ctx, x.repo, x.run()); err == nil && shelf != nil { // it is uncommitted again before anything else
		paths, err := ChangedPaths(ctx, x.repo, shelf.Commit.Parents[0], shelf.Commit.ID)
		if err == nil {
			seen.Changes = append(seen.Changes, paths...)
		}
	}
	hand, handErr := changedByHand(ctx, x.repo, x.run(), seen.Changes)
	if handErr == nil && len(hand) > 0 {
		seen.Changes = WithoutByHand(seen.Changes, hand)
		defer x.tellByHand(hand)
	}
	untouched := err == nil && seen.None() && spec.OnInterrupt != plan.Ask
	if untouched || spec.OnInterrupt == plan.Retry || spec.OnInterrupt == plan.Verify {
		return
	}
	x.find(candidate.FindPartly, candidate.Warning, fmt.Sprintf("task '%s' was cut off half way", t.ID), seen.Changes...)
}

// planFile tells whether the plan was edited since it was adopted.
func (x *assessor) planFile() error {
	r := x.run()
	if r.PlanFile == "" || r.PlanHash == "" {
		return nil
	}
	path := r.PlanFile
	if !filepath.IsAbs(path) {
		path = filepath.Join(x.Repo.WorkTree, filepath.FromSlash(path))
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil // the journal has its own copy
	}
	if got := (object.Hasher{}).ID("blob", data); got != r.PlanHash {
		file := path
		if x.Dir == x.Repo.WorkTree {
			file = r.PlanFile
		}
		x.find(candidate.FindPlanChanged, candidate.Warning, fmt.Sprintf("%s was edited since the run adopted it", r.PlanFile), quote.Command("adopt it with: git resume %s --plan %s", r.ID, file))
	}
	return nil
}

// base compares what the run touched with what changed on its base since the last record.
func (x *assessor) base(ctx context.Context) error {
	r := x.run()
	if r.Base.Name == "" || r.Closed() {
		return nil
	}
	now, err := x.Repo.Refs.Ref(ctx, "refs/heads/"+r.Base.Name)
	if err != nil {
		return err
	}
	x.a.Seen.Base = now
	switch {
	case now == "":
		x.find(candidate.FindBaseGone, candidate.Warning, fmt.Sprintf("its base %s is gone", r.Base.Name))
		return nil
	case now == r.BaseTip || r.Branch == "refs/heads/"+r.Base.Name:
		return nil
	case x.a.Seen.Branch != "" && x.ancestor(ctx, now, x.a.Seen.Branch):
		return nil // the run has all of it
	}
	gone, come := x.moved(ctx, r.BaseTip, now)
	switch {
	case r.BaseTip != "" && gone != 0:
		x.find(candidate.FindBaseRewritten, candidate.Warning, fmt.Sprintf("its base %s was rewritten", r.Base.Name))
	case come == 1:
		x.find(candidate.FindBaseMoved, candidate.Info, fmt.Sprintf("%s is 1 commit ahead of where the run last saw it (%s)", r.Base.Name, r.BaseTip.Short()))
	case come > 1:
		x.find(candidate.FindBaseMoved, candidate.Info, fmt.Sprintf("%s is %d commits ahead of where the run last saw it (%s)", r.Base.Name, come, r.BaseTip.Short()))
	default:
		x.find(candidate.FindBaseMoved, candidate.Info, fmt.Sprintf("%s moved on since the last record", r.Base.Name))
	}
	return x.compare(ctx, now)
}

// moved counts the commits that a branch lost and got between two tips; the first is -1 if it cannot be told.
func (x *assessor) moved(ctx context.Context, from, to object.ID) (gone, come int) {
	if from == "" {
		return 0, 0
	}
	if !x.exists(ctx, from) {
		return -1, 0
	}
	out, err := x.Repo.Line(ctx, "rev-list", "--count", "--left-right", string(from)+"..."+string(to))
	if err != nil {
		return -1, 0 // what it was is not here any more
	}
	_, _ = fmt.Sscan(out, &gone, &come)
	return gone, come
}

func (x *assessor) compare(ctx context.Context, now object.ID) error {
	ours := x.a.Seen.Branch
	if ours == "" {
		ours = x.run().Head
	}
	c, err := x.Repo.Settings.Config(ctx)
	if err != nil {
		return err
	}
	expect := c.All("resume.expectconflicts")
	if len(expect) == 0 {
		expect = defaultExpect
	}
	q := conflicts.Query{
		Ours: ours, Theirs: now, OursName: "here", TheirsName: x.run().Base.Name,
		Uncommitted: x.a.Snapshot.Tree, Inputs: x.inputs(), Expect: expect, Task: x.taskOf,
	}
	rep, err := conflicts.Check(ctx, x.Repo, q)
	if errors.Is(err, past.ErrUnrelated) {
		x.find(candidate.FindCannotTell, candidate.Blocking, "the run and its base have no common ancestor")
		return nil
	}
	if err != nil {
		return err
	}
	x.a.Conflicts = &rep
	touched, err := conflicts.Touched(ctx, x.Repo, rep.Base, ours)
	if err != nil {
		return err
	}
	x.a.Touched = len(touched)
	x.take(rep, x.changers(ctx, rep, now))
	return nil
}

// taskOf names the task that made a commit.
func (x *assessor) taskOf(id object.ID) string {
	for i, t := range x.run().Tasks {
		if t.Commit == id {
			return fmt.Sprintf("task %d, %s", i+1, t.ID)
		}
	}
	return ""
}

// defaultExpect are files in which overlaps are everyday and harmless.
var defaultExpect = []string{"*.lock", "package-lock.json", "go.sum", "pnpm-lock.yaml", "CHANGELOG*"}

// inputs are what the tasks that are left declared to read.
func (x *assessor) inputs() []string {
	var out []string
	for _, t := range x.a.Plan.Tasks {
		if s := x.run().Task(checkpoint.TaskID(t.ID)); s != nil && !s.State.Closed() {
			out = append(out, t.Inputs...)
		}
	}
	return out
}

// take turns the comparison into findings.
func (x *assessor) take(rep conflicts.Report, by map[string]*candidate.Changed) {
	for _, c := range rep.Conflicts {
		f := candidate.Finding{Code: candidate.FindConflict, Severity: c.Severity(), Path: c.Path, Text: conflictText(c, x.run().Base.Name), More: overlap(c, x.run().Base.Name)}
		if c.Expected {
			f.Code = candidate.FindExpected
		}
		x.a.Findings = append(x.a.Findings, f)
	}
	for _, n := range rep.Notes {
		code, ok := noteCodes[n.Code]
		if !ok {
			continue
		}
		f := candidate.Finding{Code: code, Severity: n.Severity, Path: n.Path, Text: n.Text, By: by[n.Path]}
		if f.Text == "" && f.By != nil {
			f.Text = f.By.String()
		}
		if f.Text == "" {
			f.Text = "changed on " + x.run().Base.Name
		}
		x.a.Findings = append(x.a.Findings, f)
	}
}

// noteCodes are the remarks of a comparison that are findings.
var noteCodes = map[conflicts.Code]candidate.Code{
	conflicts.SameFile: candidate.FindSameFile, conflicts.InputChanged: candidate.FindInput, conflicts.ManifestChanged: candidate.FindManifest,
	conflicts.CannotTell: candidate.FindCannotTell,
}

func conflictText(c conflicts.Conflict, base string) string {
	switch {
	case c.Kind == clash.Content && len(c.Ours.Ranges) > 0:
		return fmt.Sprintf("%s changed here and on %s", lines(c.Ours.Ranges), base)
	case c.Ours.Path == "":
		return fmt.Sprintf("deleted here, changed on %s", base)
	case c.Theirs.Path == "":
		return fmt.Sprintf("deleted on %s, changed here", base)
	default:
		return fmt.Sprintf("%s conflict with %s", c.Kind, base)
	}
}

func lines(ranges []conflicts.Range) string {
	if len(ranges) == 1 && ranges[0].To <= ranges[0].From {
		return fmt.Sprintf("line %d", ranges[0].From)
	}
	parts := make([]string, 0, len(ranges))
	for _, r := range ranges {
		if r.To <= r.From {
			parts = append(parts, strconv.Itoa(r.From))
			continue
		}
		parts = append(parts, fmt.Sprintf("%d-%d", r.From, r.To))
	}
	return "lines " + strings.Join(parts, ", ")
}

// overlap says whose changes meet.
func overlap(c conflicts.Conflict, base string) []string {
	var out []string
	side := func(name string, s conflicts.Side) {
		name = fmt.Sprintf("%-*s", max(len("here"), len(base)), name)
		if s.Uncommitted {
			out = append(out, name+"  not committed")
		}
		for _, by := range s.Commits {
			what := by.Task
			if what == "" {
				what = by.Author
			}
			out = append(out, fmt.Sprintf("%s  %s, %s  %s", name, what, by.When.UTC().Format("2006-01-02 15:04"), by.ID.Short()))
		}
	}
	side("here", c.Ours)
	side(base, c.Theirs)
	return out
}

// others looks for more open work on the same thing.
func (x *assessor) others(ctx context.Context) error {
	open, _, err := x.judge.Find.OpenRuns(ctx)
	if err != nil {
		return err
	}
	for _, id := range open {
		if id == x.run().ID {
			continue
		}
		j, err := x.Store.Load(ctx, id)
		if err != nil {
			continue
		}
		if j.Run.Name == x.run().Name || (j.Run.Branch != "" && !j.Run.Here && j.Run.Branch == x.run().Branch) {
			x.find(candidate.FindSameWork, candidate.Warning, fmt.Sprintf("run '%s' is open too and does the same work", id))
		}
	}
	return nil
}

package assess

import (
	"slices"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/tasks"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

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
	Renamed refs.Name
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

// Redoable reports whether a lost branch can be made again for who redoes everything from a task on.
func (a *Assessment) Redoable(from string) bool {
	t := candidate.FindTask(&a.Summary.Run, from)
	if from == "" || t == nil || a.Survivor == "" || !a.Has(candidate.FindBranchLost) {
		return false
	}
	i := slices.IndexFunc(a.Summary.Run.Tasks, func(x checkpoint.Task) bool { return x.ID == t.ID })
	return i+1 <= a.Redo
}

// AgeOf names an age: under an hour fresh, under a day recent, up to a week moderate, more is stale.
func AgeOf(d time.Duration) candidate.Age {
	switch {
	case d < time.Hour:
		return candidate.Fresh
	case d < 24*time.Hour:
		return candidate.Recent
	case d <= 7*24*time.Hour:
		return candidate.Moderate
	default:
		return candidate.Stale
	}
}

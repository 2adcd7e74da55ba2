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

// Repair is a repair that must be made before a run can continue.
type Repair string

// The repairs.
const (
	RepairRecreate     Repair = "recreate the worktree"
	RepairMake         Repair = "make the worktree"
	RepairRegistration Repair = "repair the worktree's registration"
	RepairBranch       Repair = "bring the branch back"
	RepairUpdate       Repair = "commit the interrupted update"
	RepairFollow       Repair = "follow the renamed branch"
)

// Assessment is everything that is known about a run before anybody decides about it.
type Assessment struct {
	Summary candidate.Summary
	Plan    plan.Plan
	// NewPlan is the plan that the run will follow if the user agrees; everything is judged as if it did already.
	NewPlan *PlanChange
	candidate.Picture
	Point tasks.Step
	// Link is a symbolic link on the path of a worktree that is still to be made; we do not make a worktree through a link.
	Link     string
	Snapshot snapshot.Snapshot
	// Conflicts compares what the run touched with what changed since then; nil if there was nothing to compare.
	Conflicts *conflicts.Report
	Touched   int
	Repairs   []Repair
	// Written is how long ago a file of another system's state was changed; zero if that is unknown.
	Written time.Duration
	// Below: the caller is the driver itself or was started by it, and only wants to know the state of the run.
	Below bool
	// If the branch is lost, Survivor is the newest commit of the run that is still here,
	// and Redo is the number (from 1) of the first task that must be done again from there.
	Survivor object.ID
	Redo     int
	// Renamed is the new name of the run's branch, if somebody renamed it.
	Renamed refs.Name
	Age     candidate.Age
	Silent  time.Duration

	// Going: conflicts do not stop the run, because the user chose how to handle them. Cleared and Updated say what was done since.
	Going   bool
	Cleared bool
	Updated object.ID
	// Preflighted: the user has read the result of every check.
	Preflighted bool

	Seen shownState
}

// Tip is the commit that the branch pointed to when it was examined; empty if there is no branch.
func (a *Assessment) Tip() object.ID { return a.Seen.Branch }

// ComparedBase reports whether the base branch was examined.
func (a *Assessment) ComparedBase() bool { return a.Seen.Base != "" }

// Reported reports whether the driver of the run does the work itself, so that there is no command to run.
func (a *Assessment) Reported() bool { return a.Point.Kind == tasks.StepReport }

// OnlyAsks reports whether the driver itself only asks for the state of the run, and nothing has to be done or decided first.
func (a *Assessment) OnlyAsks() bool {
	usable := a.Verdict == candidate.Clean || a.Verdict == candidate.Warnings
	return (a.Below || a.justReported()) && a.Reported() && usable && len(a.Repairs) == 0 && !a.Has(candidate.FindPaused)
}

// justReported reports whether the last event of the run was to tell somebody its state, and nothing has changed since.
func (a *Assessment) justReported() bool {
	r := &a.Summary.Run
	nobody := r.Driver == nil || a.Summary.Life.Driver == proc.Dead
	return (r.LastEvent == checkpoint.RunResumed || r.LastEvent == checkpoint.RunDriven && r.Driver == nil) && r.Ours() && nobody &&
		a.Seen.Branch == r.Head && (a.Seen.Base == "" || a.Seen.Base == r.BaseTip) && !a.Has(candidate.FindAlive, candidate.FindIdle)
}

// shownState holds what must not change between the question to the user and the answer.
type shownState struct {
	Events       int
	Branch, Base object.ID
	// Saved: the uncommitted work is in a snapshot, and Uncommitted is the tree of that snapshot.
	Saved       bool
	Uncommitted object.ID
	// Found is a fingerprint of another system's own state.
	Found string
}

// Redoable reports whether a lost branch can be made again by redoing everything from the given task on.
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

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
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/tasks"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// Repair is a repair that is needed before a run can continue.
type Repair string

// These are the repairs that a run may need before it can continue.
const (
	RepairRecreate     Repair = "recreate the worktree"
	RepairMake         Repair = "make the worktree"
	RepairRegistration Repair = "repair the worktree's registration"
	RepairBranch       Repair = "bring the branch back"
	RepairUpdate       Repair = "commit the interrupted merge of the base"
	RepairFollow       Repair = "follow the renamed branch"
	RepairReturn       Repair = "put the worktree on its branch"
)

// Assessment holds what is known about a run, or about another system's work, before the user decides what to do.
type Assessment struct {
	Summary candidate.Summary
	Plan    plan.Plan
	// NewPlan is another plan, which the run will follow if the user agrees. It is nil if the run keeps its plan. If NewPlan is set, the
	// run is assessed as if it already followed NewPlan.
	NewPlan *PlanChange
	candidate.Picture
	Point tasks.Step
	// Link is a symbolic link inside the repository, on the path at which a worktree would be created. It is empty if there is none. No
	// worktree is created through such a link.
	Link string
	// Restore is a restore that was interrupted in the worktree; nil if there is none.
	Restore  *site.HalfRestored
	Snapshot snapshot.Snapshot
	// Conflicts is the result of comparing the run's changes with later changes on the base; nil if they were not compared.
	Conflicts *conflicts.Report
	Touched   int
	// MergesBase is true if git is in the middle of a merge in the run's worktree that brings every commit of the base.
	MergesBase bool
	Repairs    []Repair
	// Written is how long ago one of the other system's state files was last changed; zero if this is unknown.
	Written time.Duration
	// Below is true if the process that works on the run started this program, directly or through other programs. Such a call usually
	// only asks for the state.
	Below bool
	// Survivor and Redo are set if the branch is lost. Survivor is the last commit of the run before the first commit that is lost. If
	// all commits of the run are lost, it is the base commit. Redo is the number (from 1) of the first task that must be done again. If
	// the base commit is lost too, both are empty.
	Survivor object.ID
	Redo     int
	// Renamed is the new name of the run's branch, if somebody renamed it.
	Renamed refs.Name
	Age     candidate.Age
	Silent  time.Duration
	// Stale is the value of the setting resume.stale: work without activity for longer than this is old.
	Stale time.Duration

	// Going is true if the program has decided to continue. Cleared is true if uncommitted work was set aside since the assessment.
	// Updated is the merge commit if the base was merged since the assessment.
	Going   bool
	Cleared bool
	Updated object.ID
	// Preflighted is true if the result of every check was shown to the user.
	Preflighted bool

	Seen shownState
}

// Tip returns the commit that the branch pointed to when it was examined; empty if there is no branch.
func (a *Assessment) Tip() object.ID { return a.Seen.Branch }

// OnBase reports whether the run works on its base branch itself.
func (a *Assessment) OnBase() bool {
	r := &a.Summary.Run
	return r.Base.Name != "" && r.Branch == refs.Branch(r.Base.Name)
}

// ComparedBase reports whether the base branch was examined and exists.
func (a *Assessment) ComparedBase() bool { return a.Seen.Base != "" }

// Alone is the age up to which work continues without a person. Older work is called stale.
func (a *Assessment) Alone() time.Duration { return candidate.Alone(a.Stale) }

// Old reports whether work is so old that a person should look at it before it continues.
func (a *Assessment) Old() bool { return a.Silent > a.Alone() }

// Reported reports whether the next task has no command. The worker must then do the task itself, and report its result.
func (a *Assessment) Reported() bool { return a.Point.Kind == tasks.StepReport }

// OnlyAsks reports whether this call only has to show the state of the run. It is false if something must be repaired or decided first.
func (a *Assessment) OnlyAsks() bool {
	usable := a.Verdict == candidate.Clean || a.Verdict == candidate.Warnings
	return (a.Below || a.justReported()) && a.Reported() && usable && len(a.Repairs) == 0 && !a.Has(candidate.FindPaused, candidate.FindLeft)
}

// justReported reports whether the last event handed the run over to the next worker, but no process works on it yet. It is false if the
// branch or the base has changed since that event.
func (a *Assessment) justReported() bool {
	r := &a.Summary.Run
	nobody := r.Driver == nil || a.Summary.Life.Driver == proc.Dead
	return (r.LastEvent == checkpoint.RunResumed || r.LastEvent == checkpoint.RunDriven && r.Driver == nil) && r.Ours() && nobody &&
		a.Seen.Branch == r.Head && (a.Seen.Base == "" || a.Seen.Base == r.BaseTip) && !a.Has(candidate.FindAlive, candidate.FindIdle)
}

// shownState is the state of a run when the user was asked a question.
// If the state is different after the answer, the answer no longer applies.
type shownState struct {
	Events       int
	Branch, Base object.ID
	// Saved is true if the uncommitted work is in a snapshot. Uncommitted is the git tree of that snapshot.
	Saved       bool
	Uncommitted object.ID
	// Found is a fingerprint of the other system's state.
	Found string
}

// Redoable reports whether a lost branch can be restored by redoing the given task and all tasks after it.
func (a *Assessment) Redoable(from string) bool {
	t := candidate.FindTask(&a.Summary.Run, from)
	if from == "" || t == nil || a.Survivor == "" || !a.Has(candidate.FindBranchLost) {
		return false
	}
	i := slices.IndexFunc(a.Summary.Run.Tasks, func(x checkpoint.Task) bool { return x.ID == t.ID })
	return i+1 <= a.Redo
}

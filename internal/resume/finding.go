package resume

import (
	"slices"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// Severity grades findings; the zero value never blocks.
type Severity = conflicts.Severity

// The grades, mildest first.
const (
	Info     = conflicts.Info
	Warning  = conflicts.Warning
	Blocking = conflicts.Blocking
)

// Code names a kind of finding for programs; codes are never renamed.
type Code string

// The kinds of findings.
const (
	FindConflict      Code = "conflict"
	FindExpected      Code = "expected-conflict"
	FindSameFile      Code = "same-file"
	FindInput         Code = "input-changed"
	FindManifest      Code = "manifest-changed"
	FindBaseMoved     Code = "base-moved"
	FindBaseGone      Code = "base-gone"
	FindBaseRewritten Code = "base-rewritten"
	FindCannotTell    Code = "cannot-tell"
	FindSameWork      Code = "same-work-open"
	FindPlanChanged   Code = "plan-changed"
	FindInvalid       Code = "result-changed"
	FindTreeMissing   Code = "worktree-missing"
	FindTreeMoved     Code = "worktree-moved"
	FindTreeForeign   Code = "worktree-foreign"
	FindTreePlace     Code = "worktree-place"
	FindOperation     Code = "worktree-mid-operation"
	FindOtherBranch   Code = "worktree-other-branch"
	FindBranchDeleted Code = "branch-deleted"
	FindBranchRenamed Code = "branch-renamed"
	FindBranchLost    Code = "branch-lost"
	FindBranchForeign Code = "branch-has-other-commits"
	FindBranchRewrote Code = "branch-rewritten"
	FindDamaged       Code = "journal-damaged"
	FindDiverged      Code = "journal-diverged"
	FindRebuilt       Code = "journal-rebuilt"
	FindLanded        Code = "task-landed"
	FindPartly        Code = "task-cut-off"
	FindByHand        Code = "changed-by-hand"
	FindAlive         Code = "still-running"
	FindIdle          Code = "driver-silent"
	FindUnchecked     Code = "cannot-be-checked"
	// FindElsewhere: it came from elsewhere, or was continued there. FindReported: others say something of it that matters.
	FindElsewhere      Code = "elsewhere"
	FindReported       Code = "reported-elsewhere"
	FindLinesMissing   Code = "lines-missing"
	FindCommits        Code = "commits-from-elsewhere"
	FindQuestion       Code = "question-pending"
	FindPaused         Code = "stopped-on-purpose"
	FindUntrusted      Code = "commands-not-approved"
	FindAttemptsUsedUp Code = "attempts-used-up"
	// FindNoProgress: it was continued at one task again and again, and nothing came of it.
	FindNoProgress  Code = "no-progress"
	FindStale       Code = "stale"
	FindMaybeAlive  Code = "may-be-running"
	FindFileMissing Code = sources.DoubtMissing
)

// Finding is something that no longer is as the run left it.
type Finding struct {
	Code     Code
	Severity Severity
	Text     string
	Path     string
	// More are lines of detail: who, when, where.
	More []string
	// By is what was done to the file elsewhere, where that is known.
	By *Changed
}

// Verdict sums up whether a run can go on.
type Verdict string

// The verdicts.
const (
	Clean         Verdict = "clean"
	Warnings      Verdict = "warnings"
	Blocked       Verdict = "blocked"
	Partial       Verdict = "partial"
	Unrecoverable Verdict = "unrecoverable"
	Busy          Verdict = "busy"
	WaitingFor    Verdict = "waiting"
)

// verdictOf judges by the findings alone.
func verdictOf(found []Finding) Verdict {
	has := func(codes ...Code) bool {
		return slices.ContainsFunc(found, func(f Finding) bool { return slices.Contains(codes, f.Code) })
	}
	worst := Info
	for _, f := range found {
		worst = max(worst, f.Severity)
	}
	// What the work cannot do without is gone: that is no conflict that somebody could resolve.
	gone := slices.ContainsFunc(found, func(f Finding) bool { return f.Code == FindFileMissing && f.Severity == Blocking })
	// A question beside which the rest continues hides no warning.
	waits := slices.ContainsFunc(found, func(f Finding) bool { return f.Code == FindQuestion && (f.Severity > Info || worst == Info) })
	switch {
	case has(FindAlive, FindUnchecked):
		return Busy
	case has(FindBranchLost), gone:
		return Unrecoverable
	case worst == Blocking:
		return Blocked
	case waits:
		return WaitingFor
	case has(FindInvalid):
		return Partial
	case worst == Warning:
		return Warnings
	default:
		return Clean
	}
}

// Age is the word for how long a run has been silent; it never decides alone.
type Age string

// The ages.
const (
	Fresh    Age = "fresh"
	Recent   Age = "recent"
	Moderate Age = "moderate"
	Stale    Age = "stale"
)

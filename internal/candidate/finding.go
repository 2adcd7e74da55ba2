package candidate

import (
	"slices"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/worktree"
)

// Severity says how serious a finding is. The zero value never blocks.
type Severity = conflicts.Severity

// These are all severities, the mildest first.
const (
	Info     = conflicts.Info
	Warning  = conflicts.Warning
	Blocking = conflicts.Blocking
)

// Code says what kind of finding it is. Programs rely on the codes, so a code is never renamed.
type Code string

// These are the kinds of findings that we make ourselves. The readers of other systems' state add more codes.
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
	FindRestore       Code = "worktree-half-restored"
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
	// FindLimited means that the agent's session was stopped by a limit that still applies. FindTwoAgents means that another session works
	// in the same worktree.
	FindLimited Code = "limit-not-over"
	// FindLeft means that the run's worker is gone, and that a process which it started is still at work in the worktree.
	FindLeft      Code = "left-at-work"
	FindTwoAgents Code = "two-agents"
	// FindElsewhere means that nothing proves that the run is ours, or that another clone has continued it. FindReported means that another
	// clone has reported something about the run, for example that a task is done.
	FindElsewhere    Code = "elsewhere"
	FindReported     Code = "reported-elsewhere"
	FindLinesMissing Code = "lines-missing"
	FindCommits      Code = "commits-from-elsewhere"
	// FindLent means that an earlier version lent the run to a branch of a remote, so somebody may be working on it there.
	FindLent           Code = "lent"
	FindQuestion       Code = "question-pending"
	FindPaused         Code = "stopped-on-purpose"
	FindUntrusted      Code = "commands-not-approved"
	FindAttemptsUsedUp Code = "attempts-used-up"
	// FindNoProgress means that the run was continued at the same task several times without any result.
	FindNoProgress Code = "no-progress"
	FindStale      Code = "stale"
	FindMaybeAlive Code = "may-be-running"
	// FindHandedBefore means that we printed the steps to continue before, and that nothing shows whether somebody follows them.
	FindHandedBefore Code = "handed-over-before"
	FindFileMissing  Code = sources.DoubtMissing
)

// Finding describes one thing that matters for continuing a run, for example a change since the run stopped.
type Finding struct {
	Code     Code
	Severity Severity
	// Note says which sentence to show. If the package that reads another system's state wrote the sentence itself, Note.Case is empty, and
	// the field Said has the sentence.
	Note Note
	Said string
	Path string
	// More holds lines that belong to the finding: commands, files or commits. Details holds sentences that belong to it.
	More    []string
	Details []Note
	// By says how the file in the field Path was changed on the base, if that is known.
	By *Changed
}

// Verdict sums up whether a run can continue.
type Verdict string

// These are the verdicts.
const (
	Clean         Verdict = "clean"
	Warnings      Verdict = "warnings"
	Blocked       Verdict = "blocked"
	Partial       Verdict = "partial"
	Unrecoverable Verdict = "unrecoverable"
	Busy          Verdict = "busy"
	WaitingFor    Verdict = "waiting"
)

// Picture is what an assessment found out about a piece of work.
type Picture struct {
	Verdict  Verdict
	Findings []Finding
	// Tree is the current worktree of the work.
	Tree worktree.Tree
	// Uncommitted lists the files that differ from HEAD.
	Uncommitted []string
	// Interrupted is a task that was started but not finished; nil if there is none.
	Interrupted *checkpoint.Task
}

// Has reports whether a finding with one of these codes is present.
func (p *Picture) Has(codes ...Code) bool {
	return slices.ContainsFunc(p.Findings, func(f Finding) bool { return slices.Contains(codes, f.Code) })
}

// Age says in one word how long a run has been inactive.
type Age string

// From Fresh to Stale, each age is longer than the one before it.
const (
	Fresh    Age = "fresh"
	Recent   Age = "recent"
	Moderate Age = "moderate"
	Stale    Age = "stale"
)

// Alone returns the age up to which work continues without a person: half of the setting resume.stale, so usually a week.
func Alone(stale time.Duration) time.Duration { return stale / 2 }

// AgeOf names an age. It is stale if d is longer than the second argument, and otherwise fresh (under an hour), recent (under a day) or
// moderate.
func AgeOf(d, alone time.Duration) Age {
	switch {
	case d > alone:
		return Stale
	case d < time.Hour:
		return Fresh
	case d < 24*time.Hour:
		return Recent
	}
	return Moderate
}

// Changed says how one file changed on the base since the run last recorded the tip of the base. It has the numbers of added and deleted
// lines, and the last commit that changed the file.
type Changed struct {
	Added, Deleted int
	Author         string
	When           time.Time
	Commit         object.ID
}

// Missing returns a finding for each file that another system's work needs and that does not exist. If the source already reported the
// missing file, Missing returns a finding only if the file is critical.
func Missing(f *sources.Found) []Finding {
	var out []Finding
	for _, n := range f.Needs {
		told := slices.ContainsFunc(f.Doubts, func(d sources.Doubt) bool { return d.Code == sources.DoubtMissing && d.Path == n.Path })
		if !n.Missing || told && !n.Critical {
			continue
		}
		severity := Warning
		if n.Critical {
			severity = Blocking
		}
		out = append(out, Finding{Code: FindFileMissing, Severity: severity, Path: n.Path, Note: Note{Case(FindFileMissing), Facts{Text: n.For}}})
	}
	return out
}

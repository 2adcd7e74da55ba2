package assess

import (
	"time"

	"github.com/git-resume/git-resume/internal/candidate"
)

// ReasonCase names a reason for a decision. The package internal/screen/words has the text for each
// reason.
type ReasonCase string

// These are the reasons for a decision.
const (
	ReasonVerdict         ReasonCase = "verdict"
	ReasonFinding         ReasonCase = "finding"
	ReasonBlocking        ReasonCase = "blocking"
	ReasonConfirm         ReasonCase = "confirm"
	ReasonConfirmWarnings ReasonCase = "confirm-warnings"
	ReasonConfirmAgain    ReasonCase = "confirm-again"
	ReasonConfirmStep     ReasonCase = "confirm-step"
	ReasonStale           ReasonCase = "stale"
	ReasonStaleConfirm    ReasonCase = "stale-confirm"
	ReasonRunning         ReasonCase = "running"
	ReasonUnchecked       ReasonCase = "unchecked"
	ReasonIdle            ReasonCase = "idle"
	ReasonLimited         ReasonCase = "limited"
	ReasonMaybeAlive      ReasonCase = "may-be-running"
	ReasonLeft            ReasonCase = "left-at-work"
	ReasonLinesMissing    ReasonCase = "lines-missing"
	ReasonTakeover        ReasonCase = "takeover"
	ReasonElsewhere       ReasonCase = "elsewhere"
	ReasonResultsGone     ReasonCase = "results-gone"
	ReasonOperation       ReasonCase = "operation"
	ReasonConflicts       ReasonCase = "conflicts"
	ReasonCannotTell      ReasonCase = "cannot-tell"
	ReasonFixFirst        ReasonCase = "fix-first"
	ReasonAnswer          ReasonCase = "answer"
	ReasonUntrusted       ReasonCase = "untrusted"
	ReasonPaused          ReasonCase = "paused"
	ReasonRebuilt         ReasonCase = "rebuilt"
	ReasonDisagree        ReasonCase = "records-disagree"
	ReasonEvidence        ReasonCase = "other-evidence"
	ReasonDiverged        ReasonCase = "diverged"
	ReasonCommits         ReasonCase = "commits-from-elsewhere"
	ReasonReported        ReasonCase = "reported-elsewhere"
	ReasonLent            ReasonCase = "lent"
	ReasonAttempts        ReasonCase = "attempts-used-up"
	ReasonNoProgress      ReasonCase = "no-progress"
	ReasonPartly          ReasonCase = "task-interrupted"
)

// Reason is one reason for a decision.
type Reason struct {
	Case ReasonCase
	// Verdict and Age are set only for ReasonVerdict.
	Verdict candidate.Verdict
	Age     candidate.Age
	// Stale is the age from which work counts as old, for ReasonStale and ReasonStaleConfirm.
	Stale time.Duration
	// Findings are the findings that the reason is about, for ReasonFinding, ReasonBlocking, ReasonOperation and ReasonConflicts. For
	// ReasonVerdict they are all findings.
	Findings []candidate.Finding
}

package assess

import (
	"slices"

	"github.com/git-resume/git-resume/internal/candidate"
)

// verdictOf judges by the findings alone.
func verdictOf(found []candidate.Finding) candidate.Verdict {
	has := func(codes ...candidate.Code) bool {
		return slices.ContainsFunc(found, func(f candidate.Finding) bool { return slices.Contains(codes, f.Code) })
	}
	worst := candidate.Info
	for _, f := range found {
		worst = max(worst, f.Severity)
	}
	// What the work cannot do without is gone: that is no conflict that somebody could resolve.
	gone := slices.ContainsFunc(found, func(f candidate.Finding) bool {
		return f.Code == candidate.FindFileMissing && f.Severity == candidate.Blocking
	})
	// A question beside which the rest continues hides no warning.
	waits := slices.ContainsFunc(found, func(f candidate.Finding) bool {
		return f.Code == candidate.FindQuestion && (f.Severity > candidate.Info || worst == candidate.Info)
	})
	switch {
	case has(candidate.FindAlive, candidate.FindUnchecked):
		return candidate.Busy
	case has(candidate.FindBranchLost), gone:
		return candidate.Unrecoverable
	case worst == candidate.Blocking:
		return candidate.Blocked
	case waits:
		return candidate.WaitingFor
	case has(candidate.FindInvalid):
		return candidate.Partial
	case worst == candidate.Warning:
		return candidate.Warnings
	default:
		return candidate.Clean
	}
}

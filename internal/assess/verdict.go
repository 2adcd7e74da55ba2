package assess

import (
	"slices"

	"github.com/git-resume/git-resume/internal/candidate"
)

// VerdictOf derives the verdict from the findings alone.
func VerdictOf(found []candidate.Finding) candidate.Verdict {
	has := func(codes ...candidate.Code) bool {
		return slices.ContainsFunc(found, func(f candidate.Finding) bool { return slices.Contains(codes, f.Code) })
	}
	worst := candidate.Info
	for _, f := range found {
		worst = max(worst, f.Severity)
	}
	// If a missing file keeps the work from continuing, the work is unrecoverable.
	gone := slices.ContainsFunc(found, func(f candidate.Finding) bool {
		return f.Code == candidate.FindFileMissing && f.Severity == candidate.Blocking
	})
	// A question that stops the work decides the verdict. Any other question decides it only if there are no warnings.
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

package resume

import "slices"

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

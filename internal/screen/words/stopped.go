package words

import "github.com/git-resume/git-resume/internal/assess"

// WhyStopped gives a short reason why work does not continue in automatic mode, or "" if there is none.
func WhyStopped(d assess.Decision) string {
	if len(d.Reasons) > 0 {
		switch d.Reasons[0].Case {
		case assess.ReasonFixFirst:
			return "a problem must be fixed first"
		case assess.ReasonOperation, assess.ReasonLimited:
			return Reason(d.Reasons[0])
		case assess.ReasonConflicts:
			return "files that it changed were also changed " + whereElse(d.Reasons[0])
		case assess.ReasonCannotTell:
			return unknownConflicts
		}
	}
	switch d.Why {
	case assess.WhyDecision:
		return "somebody has to decide"
	case assess.WhyConflicts:
		return "a problem must be fixed first"
	case assess.WhyBusy:
		return "somebody may be working on it"
	case assess.WhyUnrecoverable:
		return "something that it needs is missing or damaged"
	case assess.WhyWaiting:
		return "it is waiting for an answer"
	}
	return ""
}

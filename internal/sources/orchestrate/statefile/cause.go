package statefile

import (
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
)

// The causes of an interruption, in the family's words.
const (
	CauseSession = "session end"
	CauseUser    = "user command"
	CauseError   = "error"
	causeTimeout = "timeout"
	CausePause   = "intentional pause"
)

// CauseOf says why the work stopped, from the recorded reason or otherwise from its status; empty if neither says why.
func CauseOf(v sources.Value, status string) string {
	for _, name := range []string{"interrupt_reason", "interruptReason", "interruption_cause", "stopReason", "stop_reason", "abandonedReason", "cause"} {
		if said := v.Get(name).Text(); said != "" {
			return KnownCause(said)
		}
	}
	if cause := KnownCause(status); cause != CauseSession {
		return cause
	}
	return "" // the status says that the work is still active, and nothing says why it stopped
}

// KnownCause turns a word of a state into one of the causes; empty if the word does not say why.
func KnownCause(said string) string {
	switch folded := sources.FoldWord(said); {
	case strings.Contains(folded, "pause"):
		return CausePause
	case strings.Contains(folded, "timeout") || strings.Contains(folded, "timedout") || strings.Contains(folded, "abandoned"):
		return causeTimeout
	case strings.Contains(folded, "error") || strings.Contains(folded, "fail") || strings.Contains(folded, "crash"):
		return CauseError
	case strings.Contains(folded, "abort") || strings.Contains(folded, "stop") || strings.Contains(folded, "user") || strings.Contains(folded, "command"):
		return CauseUser
	case folded == "" || folded == "interrupted" || folded == "pending":
		return "" // nothing says why
	}
	return CauseSession
}

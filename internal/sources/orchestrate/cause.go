package orchestrate

import (
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
)

// The causes of an interruption, in the family's words.
const (
	causeSession = "session end"
	causeUser    = "user command"
	causeError   = "error"
	causeTimeout = "timeout"
	causePause   = "intentional pause"
)

// causeOf tells why a work stopped: by what was recorded, else by its status.
func causeOf(v sources.Value, status string) string {
	for _, name := range []string{"interrupt_reason", "interruptReason", "interruption_cause", "stopReason", "stop_reason", "abandonedReason", "cause"} {
		if said := v.Get(name).Text(); said != "" {
			return knownCause(said)
		}
	}
	if cause := knownCause(status); cause != causeSession {
		return cause
	}
	return "" // it was left as if it went on, and nothing says why
}

func knownCause(said string) string {
	switch folded := sources.FoldWord(said); {
	case strings.Contains(folded, "pause"):
		return causePause
	case strings.Contains(folded, "timeout") || strings.Contains(folded, "timedout") || strings.Contains(folded, "abandoned"):
		return causeTimeout
	case strings.Contains(folded, "error") || strings.Contains(folded, "fail") || strings.Contains(folded, "crash"):
		return causeError
	case strings.Contains(folded, "abort") || strings.Contains(folded, "stop") || strings.Contains(folded, "user") || strings.Contains(folded, "command"):
		return causeUser
	case folded == "" || folded == "interrupted" || folded == "pending":
		return "" // nothing says why
	}
	return causeSession
}

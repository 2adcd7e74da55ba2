package statefile

import (
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// These are the causes of an interruption, in the words of the orchestrate tools.
const (
	CauseSession = "session end"
	CauseUser    = "user command"
	CauseError   = "error"
	causeTimeout = "timeout"
	CausePause   = "intentional pause"
)

// CauseOf returns why the work stopped: the recorded reason, otherwise the cause that the status implies, otherwise "". If the state file
// has the message of an error, the message follows the word.
func CauseOf(v textdoc.Value, status string) string {
	cause := causeOf(v, status)
	if said := errorIn(v); said != "" && (cause == CauseError || cause == causeTimeout) {
		return cause + ": " + said
	}
	return cause
}

// errorFields lists the possible names of the field with the message of an error.
var errorFields = []string{"error", "error_message", "errorMessage", "last_error", "lastError", "failure_reason", "failureReason"}

// errorIn returns the message of the error that a state file or one of its failed phases or steps records, or "".
func errorIn(v textdoc.Value) string {
	said := v.Get(errorFields...)
	if text := said.Text(); text != "" {
		return Short(text)
	}
	if text := said.Get("message", "text").Text(); text != "" {
		return Short(text)
	}
	for _, part := range []string{"phases", "steps"} {
		for _, f := range Named(v.Get(part), "name", "phase", "id") {
			if sources.MeaningOf(f.Value.Get("status").Text()) == sources.MeansFailed {
				if text := errorIn(f.Value); text != "" {
					return text
				}
			}
		}
	}
	return ""
}

func causeOf(v textdoc.Value, status string) string {
	for _, name := range []string{"interrupt_reason", "interruptReason", "interruption_cause", "stopReason", "stop_reason", "abandonedReason", "cause"} {
		if said := v.Get(name).Text(); said != "" {
			return KnownCause(said)
		}
	}
	if cause := KnownCause(status); cause != CauseSession {
		return cause
	}
	return "" // an unknown status gives no cause
}

// KnownCause returns the cause that a word in a state file stands for. Words such as "interrupted" give no cause, and the result is "".
// An unknown word counts as the end of a session.
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
		return ""
	}
	return CauseSession
}

package orchestrate

import (
	"fmt"
	"strings"
	"time"

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

// The ages that the family tells apart.
const (
	day  = 24 * time.Hour
	week = 7 * day
)

// assess names an age and what the family advises about it.
func assess(age time.Duration) (assessment, advice string) {
	switch {
	case age < time.Hour:
		return "Fresh", "Resume safely"
	case age < day:
		return "Recent", "Resume with quick validation"
	case age <= week:
		return "Moderate", "Resume with careful validation"
	}
	return "Stale", "Consider restarting: the project may have changed significantly"
}

// staleAfter is how long a story may stand in a status before it counts as stale.
func staleAfter(m sources.Meaning) time.Duration {
	switch m {
	case sources.MeansPending:
		return 14 * day
	case sources.MeansReady:
		return week
	case sources.MeansInProgress:
		return 5 * day
	case sources.MeansReview:
		return 3 * day
	}
	return 0
}

// at writes a time so that it stays the same however late it is read.
func at(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// lasted says a duration in its largest unit.
func lasted(d time.Duration) string {
	n, unit := int(d/time.Minute), "minute"
	switch {
	case d >= 2*day || d >= day && d%day == 0:
		n, unit = int(d/day), "day"
	case d >= time.Hour:
		n, unit = int(d/time.Hour), "hour"
	}
	if n == 1 {
		return fmt.Sprintf("%d %s", n, unit)
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

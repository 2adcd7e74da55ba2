package tasks

import (
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate/settings"
	"github.com/git-resume/git-resume/internal/candidate"
)

// These are the time formats that people may use, besides durations such as 2h and times in the format RFC 3339. A time without a date
// means its next occurrence, today or tomorrow.
var (
	clockForms = []string{"15:04", "15:04:05", "3pm", "3:04pm"}
	dayForms   = []string{"2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02T15:04:05"}
)

// Until parses the time from which a task should be tried again, and returns it in the format of the journal. A time without a zone is
// local time. For an empty text, the result is "".
func Until(text string, now time.Time) (string, error) {
	given := strings.TrimSpace(text)
	if given == "" {
		return "", nil
	}
	at, ok := untilTime(given, now)
	if !ok || at.UTC().Year() > 9999 || at.UTC().Year() < 1 {
		return "", &candidate.TextError{What: "'" + text + "'", Why: "is not a time; write how long from now (2h, 90m), a clock time (18:00), or a date and time (2026-11-14T10:42:07Z)"}
	}
	return at.UTC().Format(time.RFC3339), nil
}

func untilTime(given string, now time.Time) (time.Time, bool) {
	if at, err := time.Parse(time.RFC3339, given); err == nil {
		return at, true
	}
	if d, err := settings.ParseDuration(strings.TrimPrefix(given, "+")); err == nil && given != "never" {
		return now.Add(d), d > 0
	}
	for _, form := range dayForms {
		if at, err := time.ParseInLocation(form, given, now.Location()); err == nil {
			return at, true
		}
	}
	short := strings.ToLower(strings.ReplaceAll(given, " ", ""))
	i := slices.IndexFunc(clockForms, func(form string) bool { _, err := time.Parse(form, short); return err == nil })
	if i < 0 {
		return time.Time{}, false
	}
	clock, _ := time.Parse(clockForms[i], short)
	on := func(day int) time.Time {
		return time.Date(now.Year(), now.Month(), day, clock.Hour(), clock.Minute(), clock.Second(), 0, now.Location())
	}
	if at := on(now.Day()); at.After(now) {
		return at, true
	}
	return on(now.Day() + 1), true
}

package orchestrate

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
)

// durationText returns a duration as text, in whole minutes, hours or days.
func durationText(d time.Duration) string {
	n, unit := int(d/time.Minute), "minute"
	switch {
	case d >= 2*day || d >= day && d%day == 0:
		n, unit = int(d/day), "day"
	case d >= time.Hour:
		n, unit = int(d/time.Hour), "hour"
	}
	return sources.Count(n, unit, unit+"s")
}

const (
	day  = 24 * time.Hour
	week = 7 * day
)

func first(s []string) string { return strings.Join(s[:min(len(s), 1)], "") }

func orUnknown(s string) string { return cmp.Or(s, "unknown") }

// said returns a status word in quotes, or "nothing" if there is none.
func said(word string) string {
	if word == "" {
		return "nothing"
	}
	return "'" + statefile.Short(word) + "'"
}

// unknownStatus describes a status that has no known meaning, as the end of a sentence with "has".
func unknownStatus(word string) string {
	if word == "" {
		return "no status"
	}
	return "the unknown status " + said(word)
}

// andContinues says at which task work continues, or returns "" if the task is not known.
func andContinues(task string) string {
	if task == "" {
		return ""
	}
	return " and continues at " + task
}

// allTicked says that all boxes of a story are ticked.
func allTicked(n int) string {
	if n == 1 {
		return "the only task is ticked"
	}
	return fmt.Sprintf("all %d tasks are ticked", n)
}

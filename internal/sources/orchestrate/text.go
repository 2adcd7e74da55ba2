package orchestrate

import (
	"cmp"
	"strings"
	"time"

	"github.com/git-resume/git-resume/internal/sources"
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

// Package phrase makes small parts of sentences: counts, durations, lists of names, and quoted commands.
package phrase

import (
	"fmt"
	"strings"
	"time"

	"github.com/git-resume/git-resume/internal/quote"
)

// Cut shortens text to a width by removing the middle, where a path says least.
func Cut(text string, width int) string {
	runes := []rune(text)
	if len(runes) <= width || width < 5 {
		return text
	}
	left := (width - 1) / 2
	return string(runes[:left]) + "…" + string(runes[len(runes)-(width-1-left):])
}

// Shorten cuts a sentence at its end; of a name or a path, the end matters too: see Cut.
func Shorten(text string, width int) string {
	runes := []rune(text)
	if len(runes) <= width || width < 1 {
		return text
	}
	return strings.TrimRight(string(runes[:width-1]), " ") + "…"
}

// Pad fills text with spaces up to a width.
func Pad(text string, width int) string {
	if n := width - len([]rune(text)); n > 0 {
		return text + strings.Repeat(" ", n)
	}
	return text
}

// Ago says how long ago something was, in one short word.
func Ago(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", d/time.Minute)
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh ago", d/time.Hour)
	default:
		return fmt.Sprintf("%dd ago", d/(24*time.Hour))
	}
}

// Long says a duration in words.
func Long(d time.Duration) string {
	one := func(n time.Duration, unit string) string {
		if n == 1 {
			return "1 " + unit
		}
		return fmt.Sprintf("%d %ss", n, unit)
	}
	switch d = max(d, 0); {
	case d < time.Minute:
		return one(d/time.Second, "second")
	case d < time.Hour:
		return one(d/time.Minute, "minute")
	case d < 24*time.Hour:
		return one(d/time.Hour, "hour")
	default:
		return one(d/(24*time.Hour), "day")
	}
}

// LongAgo says in words how long ago something was.
func LongAgo(d time.Duration) string {
	if d < time.Minute {
		return "just now"
	}
	return Long(d) + " ago"
}

// Moment is a time as its reader's clock shows it; universal time is only for programs and for what is stored.
func Moment(t time.Time, zone *time.Location) string {
	return t.In(zone).Format("2006-01-02 15:04:05")
}

// Count writes a number with its noun, in the singular or the plural.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Some names the first few of many, and counts the rest.
func Some(names []string) string {
	const most = 5
	shown := make([]string, 0, most)
	for _, n := range names[:min(most, len(names))] {
		shown = append(shown, quote.Clean(n))
	}
	text := strings.Join(shown, ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Bytes is a size in a form for people.
func Bytes(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%d MB", n>>20)
	case n >= 1<<10:
		return fmt.Sprintf("%d kB", n>>10)
	default:
		return fmt.Sprintf("%d bytes", n)
	}
}

// Package phrase formats small parts of sentences: counts, durations, lists of names and quoted commands.
package phrase

import (
	"fmt"
	"strings"
	"time"

	"github.com/git-resume/git-resume/internal/quote"
)

// Cut shortens a text by replacing its middle with "…". A text that fits stays unchanged, and so does every text if width is below 5.
func Cut(text string, width int) string {
	runes := []rune(text)
	if len(runes) <= width || width < 5 {
		return text
	}
	left := (width - 1) / 2
	return string(runes[:left]) + "…" + string(runes[len(runes)-(width-1-left):])
}

// Shorten shortens a sentence by replacing its end with "…". For a name or a path, use Cut.
func Shorten(text string, width int) string {
	runes := []rune(text)
	if len(runes) <= width || width < 1 {
		return text
	}
	return strings.TrimRight(string(runes[:width-1]), " ") + "…"
}

// Pad appends spaces to a text up to a width.
func Pad(text string, width int) string {
	if n := width - len([]rune(text)); n > 0 {
		return text + strings.Repeat(" ", n)
	}
	return text
}

// Ago formats the time since an event as a short text, such as "3d ago".
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

// Long formats a duration in words.
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

// LongAgo formats the time since an event in words.
func LongAgo(d time.Duration) string {
	if d < time.Minute {
		return "just now"
	}
	return Long(d) + " ago"
}

// Moment formats a time for people, in the given time zone.
func Moment(t time.Time, zone *time.Location) string {
	return t.In(zone).Format("2006-01-02 15:04:05")
}

// Count formats a number with a noun in the singular or plural, for example "1 file" or "2 files".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Some lists the first five names, and the number of the others.
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

// Bytes formats a size, for example "12 MB".
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

// Package phrase formats small parts of sentences: counts, durations, lists of names and quoted commands.
package phrase

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"github.com/git-resume/git-resume/internal/quote"
)

// cells knows how many columns of a terminal a character takes: none for an accent that is added to a letter, two for a Chinese character or an
// emoji. The library's own default reads the locale, so the same text would be cut differently on another machine.
var cells = runewidth.Condition{StrictEmojiNeutral: true}

// Width returns how many columns of a terminal a text takes.
func Width(text string) int { return cells.StringWidth(strings.ReplaceAll(text, NoBreak, " ")) }

// RuneWidth returns how many columns a single character takes.
func RuneWidth(r rune) int { return cells.RuneWidth(r) }

// Head returns the longest beginning of a text that takes at most this many columns. It is empty only if the text is, so that a caller who
// continues behind it comes to an end.
func Head(text string, width int) string {
	if head := cells.Truncate(text, width, ""); head != "" {
		return head
	}
	_, n := utf8.DecodeRuneInString(text)
	return text[:n]
}

// Split breaks a text without spaces into parts of at most this many columns, if it has wide characters: in their scripts, a line may end
// after any of them. Any other text stays whole, and so does a text that Unbroken protects.
func Split(text string, width int) []string {
	if width < 2 || Width(text) <= max(width, utf8.RuneCountInString(text)) || strings.Contains(text, NoBreak) {
		return []string{text}
	}
	return strings.Split(cells.Wrap(text, width), "\n")
}

// Cut shortens a text by replacing its middle with "…". A text that fits stays unchanged, and so does every text if width is below 5.
func Cut(text string, width int) string {
	if Width(text) <= width || width < 5 {
		return text
	}
	head := cells.Truncate(text, (width-1)/2, "")
	over := Width(text) - (width - Width(head) - 1)
	tail := cells.TruncateLeft(text, over, "")
	if !strings.HasSuffix(text, tail) { // it begins with half of a wide character, for which the library puts a space
		tail = cells.TruncateLeft(text, over+1, "")
	}
	return head + "…" + tail
}

// Shorten shortens a sentence by replacing its end with "…". For a name or a path, use Cut.
func Shorten(text string, width int) string {
	if Width(text) <= width || width < 1 {
		return text
	}
	return strings.TrimRight(cells.Truncate(text, width-1, ""), " ") + "…"
}

// Pad appends spaces to a text up to a width.
func Pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-Width(text)))
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

// Package screen finds the words: every sentence, table, hint, JSON and porcelain form that people and programs see.
//
// It decides nothing and asks git nothing. What comes from a repository is stripped of control characters
// before it reaches a terminal. Human text may change; porcelain and JSON are versioned.
package screen

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/quote"
)

// Screen is where human text goes and how it looks.
type Screen struct {
	Out   io.Writer
	Err   io.Writer
	Now   time.Time
	Marks Marks
	// Hints: advice is wanted.
	Hints bool
	// Terminal: a person reads Out. Elsewhere a program does, and a path is its bytes. ErrTerminal is the same of Err.
	Terminal, ErrTerminal bool
	// Columns is how wide the terminal is; zero where that is not known.
	Columns int
	// Dir is where the user stands; paths are shown as seen from there.
	Dir string
}

// columns is the width that text for people keeps to where the terminal's own is not known.
const columns = 80

// Marks are the signs beside words.
type Marks struct{ Done, Active, Open, Doubt, Ask, Fail string }

// The two sets of marks: for UTF-8 terminals and for all others.
var (
	UTF8  = Marks{"✓", "→", "·", "!", "?", "x"}
	ASCII = Marks{"+", ">", ".", "!", "?", "x"}
)

func (s Screen) say(format string, args ...any)  { fmt.Fprintf(s.Out, format, harmless(args)...) }
func (s Screen) warn(format string, args ...any) { fmt.Fprintf(s.Err, format, harmless(args)...) }

// harmless is the last gate: what nobody thought of as text from a repository cannot speak to the terminal either.
func harmless(args []any) []any {
	out := slices.Clone(args)
	for i, a := range out {
		v := reflect.ValueOf(a)
		if !v.IsValid() || v.Kind() != reflect.String {
			continue
		}
		lines := strings.Split(strings.ReplaceAll(v.String(), noBreak, " "), "\n")
		for j := range lines {
			lines[j] = Clean(lines[j])
		}
		out[i] = strings.Join(lines, "\n")
	}
	return out
}

// Clean makes text from a repository safe to show on one line: nothing in it speaks to the terminal, and nothing hides.
func Clean(text string) string { return quote.Clean(text) }

// cut shortens text to a width in the middle, where paths say least.
func cut(text string, width int) string {
	runes := []rune(text)
	if len(runes) <= width || width < 5 {
		return text
	}
	left := (width - 1) / 2
	return string(runes[:left]) + "…" + string(runes[len(runes)-(width-1-left):])
}

// pad fills text to a width.
func pad(text string, width int) string {
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

// Long says a length of time in words.
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

// count says a number of things.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// title names a run as people read it: name and four characters.
func title(r *checkpoint.Run) string {
	if system, _, foreign := strings.Cut(string(r.ID), ":"); foreign { // it has no run of ours, and no four characters
		return fmt.Sprintf("%s (%s)", Clean(r.Name), Clean(system))
	}
	if r.Source != "" { // people know it by its own system
		return fmt.Sprintf("%s (%s)", Clean(r.Name), Clean(r.Source))
	}
	return fmt.Sprintf("%s (%s)", Clean(r.Name), r.ID.Suffix())
}

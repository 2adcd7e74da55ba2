// Package screen finds the words: every sentence, table, hint, JSON and porcelain form that people and programs see.
//
// It decides nothing and asks git nothing. What comes from a repository is stripped of control characters
// before it reaches a terminal. Human text may change; porcelain and JSON are versioned.
package screen

import (
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

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
			lines[j] = quote.Clean(lines[j])
		}
		out[i] = strings.Join(lines, "\n")
	}
	return out
}

// OnErr is the screen for what goes to stderr, where Out belongs to something else.
func (s Screen) OnErr() Screen {
	s.Out, s.Terminal = s.Err, s.ErrTerminal
	return s
}

// width is how long a line may be.
func (s Screen) width() int {
	const least = 40 // below that every layout falls apart
	if s.Columns == 0 {
		return columns
	}
	return max(s.Columns, least)
}

// cut shortens a name or a path to a width, on a terminal only: whoever reads a pipe wants all of it.
func (s Screen) cut(text string, width int) string {
	if !s.Terminal {
		return text
	}
	return cut(text, width)
}

// row says a text behind a word: on a terminal in lines that end at words.
func (s Screen) row(word, text string) {
	s.paragraph(fmt.Sprintf("  %-8s ", word), "           ", text)
}

// paragraph says text that may be long: on a terminal in lines that end at words, elsewhere in one.
func (s Screen) paragraph(first, indent, text string) {
	lines := []string{text}
	if s.Terminal {
		lines = wrap(text, s.width()-max(len([]rune(first)), len([]rune(indent))))
	}
	for _, l := range lines {
		s.say("%s\n", strings.TrimRight(first+l, " "))
		first = indent
	}
}

// Hint gives advice on stderr, if it is wanted.
func (s Screen) Hint(text string) {
	if s.Hints {
		s.OnErr().paragraph("  (", "   ", text+")")
	}
}

// Note says something on stderr that is not an error.
func (s Screen) Note(format string, args ...any) { s.warn(format+"\n", args...) }

// Ask puts a question on stderr; the answer is typed on the same line.
func (s Screen) Ask(format string, args ...any) { s.warn(format, args...) }

// when is how long ago something was; empty for what is not known.
func (s Screen) when(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return Ago(s.Now.Sub(t))
}

// near is a path as seen from where the user stands, if that is shorter.
func (s Screen) near(path string) string {
	if rel, err := filepath.Rel(s.Dir, path); err == nil && s.Dir != "" && len(rel) < len(path) {
		return rel
	}
	return path
}

// path prints a path that was asked for: byte for byte where a script takes it, and on a terminal so that nothing hides in it.
func (s Screen) path(path string) {
	if !s.Terminal {
		_, _ = io.WriteString(s.Out, path+"\n") // the stream remembers what could not be written
		return
	}
	shown, _ := quote.Escape(path)
	s.say("%s\n", shown)
}

// headed begins a screen: which work it is about, and how that stands.
func (s Screen) headed(name, stands string) {
	s.paragraph("", "  ", name+" "+stands)
	s.say("\n")
}

// ways lists commands, each with what it does. A command stays whole, to be copied.
func (s Screen) ways(ways [][2]string) {
	width := 0
	for _, w := range ways {
		width = max(width, len([]rune(w[0])))
	}
	for _, w := range ways {
		if width+len([]rune(w[1]))+len("    ") <= s.width() {
			s.warn("  %s  %s\n", pad(w[0], width), w[1])
			continue
		}
		s.warn("  %s\n", w[0])
		s.OnErr().paragraph("      ", "      ", w[1])
	}
}

// lines prints text from the repository line by line, each made safe.
func (s Screen) lines(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		parts := strings.Split(line, "\t")
		for i := range parts {
			parts[i] = quote.Clean(parts[i])
		}
		s.say("%s\n", strings.Join(parts, "\t"))
	}
}

// where names a worktree as the user would reach it from here.
func (s Screen) where(path, branch string) {
	shown := quote.Clean(s.near(path))
	if shown == "." {
		shown = "this folder"
	}
	if s.Terminal && len("  where    ")+len([]rune(shown+branch)) > s.width() { // each on a line of its own
		s.row("where", s.cut(shown, s.width()-len("  where    ")))
		if branch != "" {
			s.row("", strings.TrimSpace(branch))
		}
		return
	}
	s.say("  where    %s%s\n", shown, branch)
}

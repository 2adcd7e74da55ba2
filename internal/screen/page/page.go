// Package page lays out what people read: lines, paragraphs, rows and tables that fit a terminal, colour, and text that is
// complete enough to be approved.
//
// It knows nothing about runs. Part of what it prints was written by others, so its last check lets nothing through
// that could control a terminal. A Page is a small value (writers, width, clock) that is passed to every function that shows something.
package page

import (
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/phrase"
)

// Page says where text for people is written and how it looks.
type Page struct {
	Out   io.Writer
	Err   io.Writer
	Now   time.Time
	Marks Marks
	// Hints says that the user wants advice.
	Hints bool
	// Terminal says that a person reads Out. Otherwise a program does, and gets paths byte for byte. ErrTerminal is the same for Err.
	Terminal, ErrTerminal bool
	// Columns is the width of the terminal; zero if it is not known.
	Columns int
	// Dir is the directory that the user is in; paths are shown relative to it.
	Dir string
}

// Usual is the width of text for people if the terminal's own width is not known.
const Usual = 80

// Marks are the signs that stand beside words.
type Marks struct{ Done, Active, Open, Doubt, Ask, Fail string }

// There are two sets of marks: one for UTF-8 terminals and one for all others.
var (
	UTF8  = Marks{"✓", "→", "·", "!", "?", "x"}
	ASCII = Marks{"+", ">", ".", "!", "?", "x"}
)

func (s Page) Say(format string, args ...any)  { fmt.Fprintf(s.Out, format, harmless(args)...) }
func (s Page) Warn(format string, args ...any) { fmt.Fprintf(s.Err, format, harmless(args)...) }

// harmless is the last check: it keeps text from controlling the terminal even if nobody expected that text to come from a repository.
func harmless(args []any) []any {
	out := slices.Clone(args)
	for i, a := range out {
		v := reflect.ValueOf(a)
		if !v.IsValid() || v.Kind() != reflect.String {
			continue
		}
		lines := strings.Split(strings.ReplaceAll(v.String(), phrase.NoBreak, " "), "\n")
		for j := range lines {
			lines[j] = quote.Clean(lines[j])
		}
		out[i] = strings.Join(lines, "\n")
	}
	return out
}

// OnErr is the same page with its output on stderr, for use when Out belongs to something else.
func (s Page) OnErr() Page {
	s.Out, s.Terminal = s.Err, s.ErrTerminal
	return s
}

// Width is the maximum length of a line.
func (s Page) Width() int {
	const least = 40 // with less than that every layout falls apart
	if s.Columns == 0 {
		return Usual
	}
	return max(s.Columns, least)
}

// Cut shortens a name or a path to a width, but only on a terminal: the reader of a pipe wants all of it.
func (s Page) Cut(text string, width int) string {
	if !s.Terminal {
		return text
	}
	return phrase.Cut(text, width)
}

// Row prints a text after a word; on a terminal, long text is broken between words.
func (s Page) Row(word, text string) {
	s.Paragraph(fmt.Sprintf("  %-8s ", word), "           ", text)
}

// Paragraph prints text that may be long: on a terminal in lines that are broken between words, elsewhere in one line.
// A word that is too long for its place, such as a path or a command, gets a line of its own, further left.
func (s Page) Paragraph(first, indent, text string) {
	lines := []string{text}
	if s.Terminal {
		lines = Wrap(text, s.Width()-max(len([]rune(first)), len([]rune(indent))))
	}
	for _, l := range lines {
		if left := s.reducedIndent(indent, l); left != indent {
			if strings.TrimSpace(first) != "" {
				s.Say("%s\n", strings.TrimRight(first, " "))
			}
			first = left
		}
		s.Say("%s\n", strings.TrimRight(first+l, " "))
		first = indent
	}
}

// reducedIndent reduces an indent until the line fits, or to the smallest indent if it never fits. An indent that is a mark stays.
func (s Page) reducedIndent(indent, line string) string {
	const least = "  "
	over := len([]rune(indent+line)) - s.Width()
	if !s.Terminal || over <= 0 || strings.TrimSpace(indent) != "" || len(indent) <= len(least)+1 {
		return indent
	}
	return indent[:max(len(least), len(indent)-over)]
}

// Hint gives advice on stderr if the user wants advice.
func (s Page) Hint(text string) {
	if s.Hints {
		s.OnErr().Paragraph("  (", "   ", text+")")
	}
}

// Note prints sentences on stderr; on a terminal, long lines are broken between words, but not inside a command.
func (s Page) Note(format string, args ...any) {
	text := fmt.Sprintf(format+"\n", harmless(args)...)
	if s.ErrTerminal {
		var out strings.Builder
		for line := range strings.Lines(text) {
			out.WriteString(s.brokenAtWords(line))
		}
		text = out.String()
	}
	_, _ = io.WriteString(s.Err, text) // the stream remembers a failed write
}

// lead matches what stands before the words of a line: its indent, and a number or a kind such as "hint:".
var lead = regexp.MustCompile(`^ *(?:(?:error|hint|note|warning): |\d+  |\()?`)

// quoted matches a command between quotes, and bare the start of any other command.
var (
	quoted = regexp.MustCompile(`'git [^']*'|"git [^"]*"`)
	bare   = regexp.MustCompile(`\S?\b(?:git|mv|cd|rm|ls) `)
)

// markCommands marks the commands of a line, so that they are not broken. Where a command ends is clear only if it is between quotes and has none
// inside, nor anything that a shell expands; from any other command on, the rest of the line stays whole.
func markCommands(line string) string {
	if at := strings.IndexAny(line, `'"`); at >= 0 && strings.ContainsAny(line, "$\\`") {
		line = line[:at] + phrase.Unbroken(line[at:])
	}
	line = quoted.ReplaceAllStringFunc(line, phrase.Unbroken)
	if at := bare.FindStringIndex(line); at != nil {
		line = line[:at[0]] + phrase.Unbroken(line[at[0]:])
	}
	return line
}

// brokenAtWords breaks a line that is too long between words, and puts what follows below its first word.
func (s Page) brokenAtWords(line string) string {
	line = strings.TrimRight(line, "\n")
	if len([]rune(line)) <= s.Width() {
		return line + "\n"
	}
	first := lead.FindString(line)
	lines := Wrap(markCommands(line[len(first):]), s.Width()-len(first))
	return first + strings.ReplaceAll(strings.Join(lines, "\n"+strings.Repeat(" ", len(first))), phrase.NoBreak, " ") + "\n"
}

// Ask prints a question on stderr; the user types the answer on its last line.
func (s Page) Ask(format string, args ...any) {
	text := fmt.Sprintf(format, harmless(args)...)
	question := strings.TrimSpace(text)
	if s.ErrTerminal && len([]rune(question)) >= s.Width() && !strings.Contains(question, "\n") {
		text = strings.Replace(text, question, strings.Join(Wrap(unbrokenKeys(question), s.Width()-len(" y ")), "\n"), 1)
		text = strings.ReplaceAll(text, phrase.NoBreak, " ")
	}
	_, _ = io.WriteString(s.Err, text) // the stream remembers a failed write
}

// unbrokenKeys keeps the keys at the end of a question on one line.
func unbrokenKeys(question string) string {
	at := strings.LastIndex(question, " [")
	if at < 0 {
		return question
	}
	return question[:at+1] + phrase.Unbroken(question[at+1:])
}

// When says how long ago something was; it is empty if the time is not known.
func (s Page) When(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return phrase.Ago(s.Now.Sub(t))
}

// Near is a path relative to the user's directory if that is shorter.
func (s Page) Near(path string) string {
	if rel, err := filepath.Rel(s.Dir, path); err == nil && s.Dir != "" && len(rel) < len(path) {
		return rel
	}
	return path
}

// Path prints a path that was asked for: byte for byte for a script, and on a terminal with nothing hidden in it.
func (s Page) Path(path string) {
	if !s.Terminal {
		_, _ = io.WriteString(s.Out, path+"\n") // the stream remembers a failed write
		return
	}
	shown, _ := quote.Escape(path)
	s.Say("%s\n", shown)
}

// Headed prints the first line of a screen: which work it is about and how that work stands.
func (s Page) Headed(name, stands string) {
	s.Paragraph("", "  ", name+" "+stands)
	s.Say("\n")
}

// Ways lists commands, each with what it does. A command is never broken, so that it can be copied.
func (s Page) Ways(ways [][2]string) {
	width := 0
	for _, w := range ways {
		width = max(width, len([]rune(w[0])))
	}
	for _, w := range ways {
		if width+len([]rune(w[1]))+len("    ") <= s.Width() {
			s.Warn("  %s  %s\n", phrase.Pad(w[0], width), w[1])
			continue
		}
		s.Warn("  %s\n", w[0])
		s.OnErr().Paragraph("      ", "      ", w[1])
	}
}

// Lines prints text from the repository line by line, each made safe.
func (s Page) Lines(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		parts := strings.Split(line, "\t")
		for i := range parts {
			parts[i] = quote.Clean(parts[i])
		}
		s.Say("%s\n", strings.Join(parts, "\t"))
	}
}

// Where names a worktree by the path that the user would use from here.
func (s Page) Where(path, branch string) {
	shown := quote.Clean(s.Near(path))
	if shown == "." {
		shown = "this folder"
	}
	if s.Terminal && len("  where    ")+len([]rune(shown+branch)) > s.Width() { // each gets a line of its own
		s.Row("where", s.Cut(shown, s.Width()-len("  where    ")))
		if branch != "" {
			s.Row("", strings.TrimSpace(branch))
		}
		return
	}
	s.Say("  where    %s%s\n", shown, branch)
}

// Package page lays out text for people: paragraphs, tables and colours that fit the terminal. It removes control characters from the text,
// because the text may come from a repository. Only a path that a script will read from the output is printed unchanged.
package page

import (
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/phrase"
)

// Page holds the writers for text, and the properties of the terminal.
type Page struct {
	Out   io.Writer
	Err   io.Writer
	Now   time.Time
	Marks Marks
	// Hints is true if the user wants to see hints.
	Hints bool
	// Terminal is true if Out is a terminal, and ErrTerminal is true if Err is one. If Out is not a terminal, the method Path prints its
	// path unchanged for scripts.
	Terminal, ErrTerminal bool
	// Columns and Rows are the width and the height of the terminal, or 0 if they are not known.
	Columns, Rows int
	// Dir is the user's current directory. A path is shown relative to it if that is shorter.
	Dir string
}

// Usual is the width of lines if the width of the terminal is not known.
const Usual = 80

// Marks holds the characters that show the state of a task, such as "✓" for a finished task.
type Marks struct{ Done, Active, Open, Doubt, Ask, Fail string }

// There are two sets of marks: one for UTF-8 terminals and one for all others.
var (
	UTF8  = Marks{"✓", "→", "·", "!", "?", "x"}
	ASCII = Marks{"+", ">", ".", "!", "?", "x"}
)

func (s Page) Say(format string, args ...any)  { fmt.Fprintf(s.Out, format, harmless(args)...) }
func (s Page) Warn(format string, args ...any) { fmt.Fprintf(s.Err, format, harmless(args)...) }

// harmless removes control characters from all arguments that are text, and keeps line ends. Callers should have cleaned their text
// already, so this is only a safety net.
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

// OnErr returns a page that prints on stderr instead of stdout.
func (s Page) OnErr() Page {
	s.Out, s.Terminal = s.Err, s.ErrTerminal
	return s
}

// Width returns the maximum length of a line.
func (s Page) Width() int {
	const least = 40 // narrower tables would be unreadable
	if s.Columns == 0 {
		return Usual
	}
	return max(s.Columns, least)
}

// Cut shortens a name or a path on a terminal. If the output does not go to a terminal, the text stays complete.
func (s Page) Cut(text string, width int) string {
	if !s.Terminal {
		return text
	}
	return phrase.Cut(text, width)
}

// Row prints a label and a text. On a terminal, a long text continues on indented lines.
func (s Page) Row(word, text string) {
	s.Paragraph(fmt.Sprintf("  %-8s ", word), "           ", text)
}

// Paragraph prints a text. On a terminal it wraps long lines at spaces, but not inside a git command in quotes or brackets.
// A long path or command is not split, but gets its own line with a smaller indent.
func (s Page) Paragraph(first, indent, text string) {
	lines := []string{text}
	if s.Terminal {
		lines = Wrap(unbrokenCommands(text), s.Width()-max(phrase.Width(first), phrase.Width(indent)))
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

// reducedIndent returns a smaller indent for a line that would be too long. It keeps an indent that does not consist of spaces only, such
// as "| ".
func (s Page) reducedIndent(indent, line string) string {
	const least = "  "
	over := phrase.Width(indent+line) - s.Width()
	if !s.Terminal || over <= 0 || strings.TrimSpace(indent) != "" || len(indent) <= len(least)+1 {
		return indent
	}
	return indent[:max(len(least), len(indent)-over)]
}

// Hint prints a hint on stderr, if the user wants hints.
func (s Page) Hint(text string) {
	if s.Hints {
		s.OnErr().Paragraph("  (", "   ", text+")")
	}
}

// Note prints text on stderr, as Tell does on stdout.
func (s Page) Note(format string, args ...any) { s.OnErr().Tell(format, args...) }

// Tell prints text on stdout. On a terminal it wraps long lines at spaces, but not inside a command that it recognizes.
func (s Page) Tell(format string, args ...any) {
	text := fmt.Sprintf(format+"\n", harmless(args)...)
	if s.Terminal {
		var out strings.Builder
		for line := range strings.Lines(text) {
			out.WriteString(s.brokenAtWords(line))
		}
		text = out.String()
	}
	_, _ = io.WriteString(s.Out, text) // ignore the error, because the writer Out remembers it
}

// lead matches the start of a line that stays in front of the wrapped text: spaces, and then a number, "(" or a word such as "hint:".
var lead = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^ *(?:(?:error|hint|note|warning): |\d+  |\()?`) })

// The pattern "quoted" matches a git command in quotes or brackets. The pattern "bare" matches the start of a shell command without quotes.
var (
	quoted = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`'git [^']*'|"git [^"]*"|\(git [^()]*\)`) })
	bare   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\S?\b(?:git|mv|cd|rm|ls|chmod) `) })
)

// MarkCommands replaces the spaces in commands, so that the line is not wrapped there.
// If the end of a command is not clear, it protects the rest of the line.
func MarkCommands(line string) string {
	if at := strings.IndexAny(line, `'"`); at >= 0 && strings.ContainsAny(line, "$\\`") {
		line = line[:at] + phrase.Unbroken(line[at:])
	}
	line = unbrokenCommands(line)
	if at := bare().FindStringIndex(line); at != nil {
		line = line[:at[0]] + phrase.Unbroken(line[at[0]:])
	}
	return line
}

// unbrokenCommands protects the git commands in quotes or brackets from line breaks.
func unbrokenCommands(text string) string {
	return quoted().ReplaceAllStringFunc(text, phrase.Unbroken)
}

// brokenAtWords wraps a long line at spaces. The further lines are indented to the first word.
func (s Page) brokenAtWords(line string) string {
	line = strings.TrimRight(line, "\n")
	if phrase.Width(line) <= s.Width() {
		return line + "\n"
	}
	first := lead().FindString(line)
	lines := Wrap(MarkCommands(line[len(first):]), s.Width()-len(first))
	return first + strings.ReplaceAll(strings.Join(lines, "\n"+strings.Repeat(" ", len(first))), phrase.NoBreak, " ") + "\n"
}

// Ask prints a question on stderr. The user types the answer on the same line.
func (s Page) Ask(format string, args ...any) {
	text := fmt.Sprintf(format, harmless(args)...)
	question := strings.TrimSpace(text)
	if s.ErrTerminal && phrase.Width(question) >= s.Width() && !strings.Contains(question, "\n") {
		text = strings.Replace(text, question, strings.Join(Wrap(unbrokenKeys(question), s.Width()-len(" y ")), "\n"), 1)
		text = strings.ReplaceAll(text, phrase.NoBreak, " ")
	}
	_, _ = io.WriteString(s.Err, text) // ignore the error: there is no other place to report it
}

// unbrokenKeys prevents a line break inside the possible answers at the end of a question, such as [y/n].
func unbrokenKeys(question string) string {
	at := strings.LastIndex(question, " [")
	if at < 0 {
		return question
	}
	return question[:at+1] + phrase.Unbroken(question[at+1:])
}

// When returns how long ago something was, or "" if the time is not known.
func (s Page) When(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return phrase.Ago(s.Now.Sub(t))
}

// Near returns a path relative to the user's directory, if that is shorter.
func (s Page) Near(path string) string {
	if rel, err := filepath.Rel(s.Dir, path); err == nil && s.Dir != "" && len(rel) < len(path) {
		return rel
	}
	return path
}

// Elsewhere returns the path of a folder if the user's current directory is not in it, and otherwise "".
func (s Page) Elsewhere(folder string) string {
	rel, err := filepath.Rel(folder, s.Dir)
	if folder == "" || s.Dir == "" || err == nil && filepath.IsLocal(rel) {
		return ""
	}
	return s.Near(folder)
}

// Path prints a path on stdout. A script gets it unchanged, and on a terminal invisible characters are shown as escapes.
func (s Page) Path(path string) {
	if !s.Terminal {
		_, _ = io.WriteString(s.Out, path+"\n") // ignore the error, because the writer Out remembers it
		return
	}
	shown, _ := quote.Escape(path)
	s.Say("%s\n", shown)
}

// Headed prints the first line of a screen: the name of the work and its state.
func (s Page) Headed(name, stands string) {
	s.Paragraph("", "  ", name+" "+stands)
	s.Say("\n")
}

// Ways prints commands, each with its effect. Commands are never wrapped, so that the user can copy them.
func (s Page) Ways(ways [][2]string) {
	width := 0
	for _, w := range ways {
		width = max(width, phrase.Width(w[0]))
	}
	for _, w := range ways {
		if width+phrase.Width(w[1])+len("    ") <= s.Width() {
			s.Warn("  %s  %s\n", phrase.Pad(w[0], width), w[1])
			continue
		}
		s.Warn("  %s\n", w[0])
		s.OnErr().Paragraph("      ", "      ", w[1])
	}
}

// Lines prints text from the repository line by line, without control characters other than tabs.
func (s Page) Lines(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		parts := strings.Split(line, "\t")
		for i := range parts {
			parts[i] = quote.Clean(parts[i])
		}
		fmt.Fprintln(s.Out, strings.Join(parts, "\t")) // Say would replace the tabs
	}
}

// Where prints the path of a worktree, relative to the user's directory, and its branch.
func (s Page) Where(path, branch string) {
	shown := quote.Clean(s.Near(path))
	if shown == "." {
		shown = "this folder"
	}
	if s.Terminal && len("  where    ")+phrase.Width(shown+branch) > s.Width() { // print the path and the branch on separate lines
		s.Row("where", s.Cut(shown, s.Width()-len("  where    ")))
		if branch != "" {
			s.Row("", strings.TrimSpace(branch))
		}
		return
	}
	s.Say("  where    %s%s\n", shown, branch)
}

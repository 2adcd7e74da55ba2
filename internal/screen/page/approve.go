package page

import (
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/phrase"
)

// WholeLines shows one line of text that the user is to approve: every character of it, with hidden ones written as numbers.
// Text that does not fit into the room continues on further lines. The first line begins with the mark, the others with "~ ".
func WholeLines(mark, text, indent string, room int) (lines []string, hidden int) {
	body := strings.TrimLeft(text, "\t") // indentation is visible anyway
	shown, hidden := quote.Escape(body)
	rest := []rune(strings.Repeat("    ", len(text)-len(body)) + shown)
	width := max(20, room-len(indent)-len(mark))
	for len(rest) > width {
		at := width
		for at > width/2 && rest[at-1] != ' ' { // break between words if there are any
			at--
		}
		if at == width/2 {
			at = width
		}
		lines, rest = append(lines, indent+mark+string(rest[:at])), rest[at:]
		mark = "~ "
	}
	return append(lines, indent+mark+string(rest)), hidden
}

// CommandLines shows commands that the user is to approve, in full, with a word before each if there are several.
// The number of hidden characters in them is shown below.
func CommandLines(commands []string, indent string, room int) []string {
	var out []string
	hidden, wrapped := 0, false
	for i, c := range commands {
		if len(commands) > 1 {
			out = append(out, fmt.Sprintf("%scommand %d of %d:", indent, i+1, len(commands)))
		}
		for line := range strings.SplitSeq(strings.TrimRight(c, "\n"), "\n") {
			lines, n := WholeLines("| ", line, indent, room)
			out, hidden, wrapped = append(out, lines...), hidden+n, wrapped || len(lines) > 1
		}
	}
	if wrapped {
		out = append(out, indent+"(a line that begins with ~ continues the one above)")
	}
	if hidden > 0 {
		out = append(out, indent+hiddenNote(hidden))
	}
	return out
}

func hiddenNote(n int) string {
	return "(" + phrase.Count(n, "invisible character is shown by its number", "invisible characters are shown by their numbers") + ")"
}

// Approving collects the names on a screen that the user approves: nothing is stripped from them, and hidden characters are counted.
type Approving struct{ hidden int }

func (a *Approving) Name(text string) string {
	shown, n := quote.Escape(text)
	a.hidden += n
	return shown
}

// Note says how many characters were hidden in the names.
func (a *Approving) Note(s Page) {
	if a.hidden > 0 {
		s.Say("  %s\n", hiddenNote(a.hidden))
	}
}

package page

import (
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/phrase"
)

// WholeLines formats one line of text that the user is asked to approve. It shows every character, and writes invisible characters as
// numbers. Long text continues on further lines, which start with "~ ".
func WholeLines(mark, text, indent string, room int) (lines []string, hidden int) {
	body := strings.TrimLeft(text, "\t") // the tabs are added again below, as spaces
	shown, hidden := quote.Escape(body)
	rest := strings.Repeat("    ", len(text)-len(body)) + shown
	width := max(20, room-len(indent)-len(mark))
	for phrase.Width(rest) > width {
		line := phrase.Head(rest, width)
		if at := strings.LastIndexByte(line, ' ') + 1; at > len(line)/2 { // break the line at a space, if there is one in its second half
			line = line[:at]
		}
		lines, rest = append(lines, indent+mark+line), rest[len(line):]
		mark = "~ "
	}
	return append(lines, indent+mark+rest), hidden
}

// CommandLines formats commands that the user is asked to approve. It shortens nothing, and adds a note about invisible characters.
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
	return "(" + phrase.Count(n, "invisible character is shown as a code", "invisible characters are shown as codes") + ")"
}

// Approving formats names that the user is asked to approve, and counts the invisible characters in them.
type Approving struct{ hidden int }

func (a *Approving) Name(text string) string {
	shown, n := quote.Escape(text)
	a.hidden += n
	return shown
}

// Note prints how many invisible characters were in the names that Name has formatted.
func (a *Approving) Note(s Page) {
	if a.hidden > 0 {
		s.Say("  %s\n", hiddenNote(a.hidden))
	}
}

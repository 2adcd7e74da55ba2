package history

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/conflicts/clash"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
)

// Comparison prints whether two commits can be merged, and where they conflict.
func Comparison(s page.Page, rep conflicts.Report) {
	switch n := len(rep.Conflicts); {
	case rep.Clean:
		s.Say("%s and %s merge cleanly\n", rep.Ours.Short(), rep.Theirs.Short())
	case n == 0:
		s.Say("%s and %s do not merge cleanly\n", rep.Ours.Short(), rep.Theirs.Short())
	default:
		s.Say("%s between %s and %s\n", phrase.Count(n, "conflict", "conflicts"), rep.Ours.Short(), rep.Theirs.Short())
	}
	for _, c := range rep.Conflicts {
		s.Say("  %s  %s\n", quote.Path(c.Path, false), c.Kind)
		sideOf(s, "ours", c, c.Ours)
		sideOf(s, "theirs", c, c.Theirs)
		if c.Why != "" {
			s.Say("      %s\n", quote.Clean(c.Why))
		}
	}
	for notes := rep.Notes; len(notes) > 0; {
		n := countAlike(notes)
		printNotes(s, notes[:n])
		notes = notes[n:]
	}
}

// countAlike returns how many notes at the start of the list have the same text, code and severity.
func countAlike(notes []conflicts.Note) int {
	first := notes[0]
	for i, n := range notes {
		if n.Code != first.Code || n.Severity != first.Severity || n.Text != first.Text {
			return i
		}
	}
	return len(notes)
}

// printNotes prints notes that differ only in their file. It prints all of them if they are blocking, and otherwise only the first few.
func printNotes(s page.Page, notes []conflicts.Note) {
	const most = 10
	text := quote.Clean(notes[0].Text)
	if text == "" {
		text = noteTexts[notes[0].Code]
	}
	for i, n := range notes {
		if i == most && len(notes) > most+1 && n.Severity != conflicts.Blocking {
			s.Say("  %-8s and %d more files like these; '--json' names them\n", n.Severity, len(notes)-most)
			return
		}
		if n.Path == "" {
			s.Say("  %-8s %s\n", n.Severity, text)
			continue
		}
		s.Say("  %-8s %s: %s\n", n.Severity, quote.Path(n.Path, false), text)
	}
}

// noteTexts holds the default text for each kind of note.
var noteTexts = map[conflicts.Code]string{
	conflicts.SameFile:         "both sides changed it, in different places",
	conflicts.InputChanged:     "their side changed a file that a task depends on",
	conflicts.ManifestChanged:  "their side changed a file that lists the project's dependencies",
	conflicts.ExpectedConflict: "a conflict is expected here, so this is only a warning",
}

// sideOf prints which lines one side of a conflict changed, and in which commits.
func sideOf(s page.Page, name string, c conflicts.Conflict, side conflicts.Side) {
	lines := places(side.Ranges)
	at := lines
	switch {
	case side.Path != "" && side.Path != c.Path:
		at = strings.TrimLeft(lines+" in "+quote.Path(side.Path, false), " ")
	case side.Path == "" && (len(side.Commits) > 0 || c.Kind == clash.ModifyDelete || c.Kind == clash.RenameDelete):
		at = "does not have this file"
	}
	if at == "" && len(side.Commits) == 0 {
		return
	}
	s.Say("      %s\n", strings.TrimRight(fmt.Sprintf("%-6s %s", name, at), " "))
	for _, c := range side.Commits {
		s.Paragraph("             ", "               ", fmt.Sprintf("%s %s  %s", c.ID.Short(), quote.Clean(c.Author), quote.Clean(c.Subject)))
	}
}

// places formats ranges of lines, for example "line 3" or "before line 9, line 12".
func places(ranges []conflicts.Range) string {
	var out []string
	for len(ranges) > 0 {
		r := ranges[0]
		if r.To < r.From {
			out = append(out, fmt.Sprintf("before line %d", r.From))
			ranges = ranges[1:]
			continue
		}
		n := slices.IndexFunc(ranges, func(r conflicts.Range) bool { return r.To < r.From })
		if n < 0 {
			n = len(ranges)
		}
		out = append(out, spans(ranges[:n]))
		ranges = ranges[n:]
	}
	return strings.Join(out, ", ")
}

// spans formats ranges that are not empty, for example "lines 3-5, 9".
func spans(ranges []conflicts.Range) string {
	if len(ranges) == 1 && ranges[0].From == ranges[0].To {
		return fmt.Sprintf("line %d", ranges[0].From)
	}
	var out []string
	for _, r := range ranges {
		if r.From == r.To {
			out = append(out, fmt.Sprint(r.From))
			continue
		}
		out = append(out, fmt.Sprintf("%d-%d", r.From, r.To))
	}
	return "lines " + strings.Join(out, ", ")
}

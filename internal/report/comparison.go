package report

import (
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/conflicts"
)

// Comparison shows whether two commits would merge, and where not.
func (s Screen) Comparison(rep conflicts.Report) {
	if rep.Clean {
		s.say("%s and %s merge cleanly\n", rep.Ours.Short(), rep.Theirs.Short())
	} else {
		s.say("%s between %s and %s\n", count(len(rep.Conflicts), "conflict", "conflicts"), rep.Ours.Short(), rep.Theirs.Short())
	}
	for _, c := range rep.Conflicts {
		s.say("  %s  %s\n", Clean(c.Path), c.Kind)
		s.side("ours", c.Ours)
		s.side("theirs", c.Theirs)
		if c.Why != "" {
			s.say("      %s\n", Clean(c.Why))
		}
	}
	for _, n := range rep.Notes {
		text := Clean(n.Text)
		if text == "" {
			text = noteTexts[n.Code]
		}
		if n.Path != "" {
			text = Clean(n.Path) + ": " + text
		}
		s.say("  %-8s %s\n", n.Severity, text)
	}
}

// noteTexts say what a note means that has no words of its own.
var noteTexts = map[conflicts.Code]string{
	conflicts.SameFile:         "both changed it, in places that do not touch",
	conflicts.InputChanged:     "theirs changed what a task depends on",
	conflicts.ManifestChanged:  "theirs changed what the project depends on",
	conflicts.ExpectedConflict: "a conflict is expected here and does not block",
}

func (s Screen) side(name string, side conflicts.Side) {
	if len(side.Ranges) == 0 && len(side.Commits) == 0 {
		return
	}
	s.say("      %s\n", strings.TrimRight(fmt.Sprintf("%-6s %s", name, places(side.Ranges)), " "))
	for _, c := range side.Commits {
		s.say("             %s %s  %s\n", c.ID.Short(), Clean(c.Author), cut(Clean(c.Subject), 50))
	}
}

// places names lines: "line 3", "lines 3-5, 9", "before line 9".
func places(ranges []conflicts.Range) string {
	var out []string
	for _, r := range ranges {
		switch {
		case r.To < r.From:
			out = append(out, fmt.Sprintf("before line %d", r.From))
		case r.To == r.From:
			out = append(out, fmt.Sprintf("%d", r.From))
		default:
			out = append(out, fmt.Sprintf("%d-%d", r.From, r.To))
		}
	}
	switch {
	case len(out) == 0:
		return ""
	case ranges[0].To < ranges[0].From:
		return strings.Join(out, ", ")
	case len(out) == 1 && ranges[0].To == ranges[0].From:
		return "line " + out[0]
	}
	return "lines " + strings.Join(out, ", ")
}

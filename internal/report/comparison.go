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
		if n.Path != "" {
			text = Clean(n.Path) + "  " + text
		}
		s.say("  %s  %s\n", n.Severity, text)
	}
}

func (s Screen) side(name string, side conflicts.Side) {
	if len(side.Ranges) == 0 && len(side.Commits) == 0 {
		return
	}
	var places []string
	for _, r := range side.Ranges {
		if r.To < r.From {
			places = append(places, fmt.Sprintf("before %d", r.From))
			continue
		}
		places = append(places, fmt.Sprintf("%d-%d", r.From, r.To))
	}
	s.say("      %-6s lines %s\n", name, strings.Join(places, ", "))
	for _, c := range side.Commits {
		s.say("             %s %s  %s\n", c.ID.Short(), Clean(c.Author), cut(Clean(c.Subject), 50))
	}
}

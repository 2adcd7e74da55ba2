package assess

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/conflicts/clash"
	"github.com/git-resume/git-resume/internal/candidate"
)

// noteCodes maps the codes of notes in a conflict report to codes of findings. Notes with any other code do not become findings.
var noteCodes = map[conflicts.Code]candidate.Code{
	conflicts.SameFile: candidate.FindSameFile, conflicts.InputChanged: candidate.FindInput, conflicts.ManifestChanged: candidate.FindManifest,
	conflicts.CannotTell: candidate.FindCannotTell,
}

func conflictText(c conflicts.Conflict, base string) string {
	switch {
	case c.Kind == clash.Content && len(c.Ours.Ranges) > 0:
		return fmt.Sprintf("%s changed here and on %s", lines(c.Ours.Ranges), base)
	case c.Ours.Path == "":
		return fmt.Sprintf("deleted here, changed on %s", base)
	case c.Theirs.Path == "":
		return fmt.Sprintf("deleted on %s, changed here", base)
	default:
		return fmt.Sprintf("%s conflict with %s", c.Kind, base)
	}
}

func lines(ranges []conflicts.Range) string {
	if len(ranges) == 1 && ranges[0].To <= ranges[0].From {
		return fmt.Sprintf("line %d", ranges[0].From)
	}
	parts := make([]string, 0, len(ranges))
	for _, r := range ranges {
		if r.To <= r.From {
			parts = append(parts, strconv.Itoa(r.From))
			continue
		}
		parts = append(parts, fmt.Sprintf("%d-%d", r.From, r.To))
	}
	return "lines " + strings.Join(parts, ", ")
}

// overlap lists the changes that overlap in a conflict, with their authors and dates.
// They can be on the base, in the run's commits, or uncommitted.
func overlap(c conflicts.Conflict, base string, zone *time.Location) []string {
	var out []string
	side := func(name string, s conflicts.Side) {
		name = fmt.Sprintf("%-*s", max(len("here"), len(base)), name)
		if s.Uncommitted {
			out = append(out, name+"  not committed")
		}
		for _, by := range s.Commits {
			what := by.Task
			if what == "" {
				what = by.Author
			}
			out = append(out, fmt.Sprintf("%s  %s, %s  %s", name, what, by.When.In(zone).Format("2006-01-02 15:04"), by.ID.Short()))
		}
	}
	side("here", c.Ours)
	side(base, c.Theirs)
	return out
}

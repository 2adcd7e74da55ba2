package screen

import (
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/internal/handler/merge"
	"github.com/git-resume/git-resume/internal/quote"
)

// Review shows what a run built.
func Review(s Screen, v *merge.Reviewed) {
	r := &v.Summary.Run
	if v.Summary.Found != nil {
		s.headed(nameOf(&v.Summary), foreignHeadline(&v.Summary, s.Now))
	} else {
		s.headed(title(r), headline(&v.Summary, s.Now))
	}
	commits := 0
	for i, t := range v.Tasks {
		line := fmt.Sprintf("  %s %d  %s", markOf(s, &v.Summary, t.Task), i+1, quote.Clean(string(t.Task.ID)))
		if v.Summary.Found != nil && t.Task.Title != "" {
			line += "  " + quote.Clean(t.Task.Title)
		}
		if t.Commit != "" {
			commits++
			line += fmt.Sprintf("  %s %s", t.Commit.Short(), quote.Clean(t.Subject))
		} else if w := resultOf(&v.Summary, t.Task); w != "" {
			line += "  " + w
		}
		s.paragraph("", "       ", line)
		if t.Stat != "" {
			s.say("       %s\n", strings.TrimSpace(quote.Clean(t.Stat)))
		}
	}
	if v.Summary.Found != nil {
		reviewedElsewhere(s, v, commits)
	}
	if v.Stat != "" {
		s.say("\nagainst %s %s:\n", baseName(r), v.From.Short())
		s.lines(v.Stat)
	}
	if v.Diff != "" {
		s.say("\n")
		s.lines(v.Diff)
	}
}

// reviewedElsewhere says what there is of another system's work besides commits that name its tasks.
func reviewedElsewhere(s Screen, v *merge.Reviewed, commits int) {
	s.say("\n")
	if commits == 0 {
		s.say("  commits      none is known for its tasks\n")
	}
	if n := len(v.Uncommitted); n > 0 {
		s.paragraph("  uncommitted  ", "               ", fmt.Sprintf("%s: %s", count(n, "file", "files"), some(v.Uncommitted)))
	} else {
		s.say("  uncommitted  nothing but its own state\n")
	}
}

package history

import (
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/internal/handler/merge"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/status"
	"github.com/git-resume/git-resume/internal/screen/words"
)

// Review shows what a run built.
func Review(s page.Page, v *merge.Reviewed) {
	r := &v.Summary.Run
	if v.Summary.Found != nil {
		s.Headed(words.Name(&v.Summary), words.ForeignHeadline(&v.Summary, s.Now))
	} else {
		s.Headed(words.Title(r), words.Headline(&v.Summary, s.Now))
	}
	commits := 0
	for i, t := range v.Tasks {
		line := fmt.Sprintf("  %s %d  %s", status.Mark(s, &v.Summary, t.Task), i+1, quote.Clean(string(t.Task.ID)))
		if v.Summary.Found != nil && t.Task.Title != "" {
			line += "  " + quote.Clean(t.Task.Title)
		}
		if t.Commit != "" {
			commits++
			line += fmt.Sprintf("  %s %s", t.Commit.Short(), quote.Clean(t.Subject))
		} else if w := status.Result(&v.Summary, t.Task); w != "" {
			line += "  " + w
		}
		s.Paragraph("", "       ", line)
		if t.Stat != "" {
			s.Say("       %s\n", strings.TrimSpace(quote.Clean(t.Stat)))
		}
	}
	if v.Summary.Found != nil {
		reviewedElsewhere(s, v, commits)
	}
	if v.Stat != "" {
		s.Say("\nagainst %s %s:\n", words.BaseName(r), v.From.Short())
		s.Lines(v.Stat)
	}
	if v.Diff != "" {
		s.Say("\n")
		s.Lines(v.Diff)
	}
}

// reviewedElsewhere says what there is of another system's work besides commits that name its tasks.
func reviewedElsewhere(s page.Page, v *merge.Reviewed, commits int) {
	s.Say("\n")
	if commits == 0 {
		s.Say("  commits      none is known for its tasks\n")
	}
	if n := len(v.Uncommitted); n > 0 {
		s.Paragraph("  uncommitted  ", "               ", fmt.Sprintf("%s: %s", phrase.Count(n, "file", "files"), phrase.Some(v.Uncommitted)))
	} else {
		s.Say("  uncommitted  nothing but its own state\n")
	}
}

package history

import (
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler/since"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
)

// Since prints what happened since a person last looked, or since a given time.
func Since(s page.Page, r *since.Report) {
	switch {
	case r.Since.IsZero() && len(r.Runs) == 0:
		s.Say("You have not looked before, and nothing is recorded here yet.\n")
		return
	case r.Since.IsZero():
		s.Say("You have not looked before; this is everything that was recorded.\n")
	case r.Last:
		s.Say("Since you last looked, %s:\n", words.SinceWhen(r.Since, s.Now))
	default:
		s.Say("Since %s:\n", words.SinceWhen(r.Since, s.Now))
	}
	for i := range r.Runs {
		n := &r.Runs[i]
		s.Say("\n")
		s.Paragraph("", "  ", newsHead(s, &n.Summary))
		for _, row := range words.NewsRows(n, s.Now.Location()) {
			s.Row(row.Word, row.Text)
		}
	}
	if len(r.Runs) == 0 {
		s.Say("  nothing happened\n")
	}
	if r.Quiet > 0 && len(r.Runs) > 0 {
		s.Say("\nNothing new in %s.\n", phrase.Count(r.Quiet, "other run", "other runs"))
	}
}

func newsHead(s page.Page, m *candidate.Summary) string {
	switch {
	case m.Found != nil:
		return words.Name(m) + " " + words.ForeignHeadline(m, s.Now)
	case m.Damaged != "":
		return string(m.Run.ID)
	}
	return words.Title(&m.Run) + " " + words.Headline(m, s.Now)
}

// Unremembered warns that the time at which the user looked could not be stored.
func Unremembered(s page.Page, err error) {
	s.Note("warning: cannot record that you looked, so the next report shows all of this again: %s", quote.Printable(err.Error()))
}

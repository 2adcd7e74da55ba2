package screen

import (
	"errors"
	"strings"

	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler/reporting"
	"github.com/git-resume/git-resume/internal/handler/start"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/advice"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/status"
	"github.com/git-resume/git-resume/internal/screen/words"
)

// Fault prints an error and the commands that help.
func Fault(s page.Page, err error) {
	var faults plan.Faults
	if errors.As(err, &faults) {
		planFaults(s, faults)
		return
	}
	s.Note("error: %s", oneOrMore(err.Error()))
	var kept *reporting.KeptError
	if errors.As(err, &kept) && kept.Snapshot != "" {
		s.Note("Nothing is lost: the changes are where they were, and saved as %s.", words.SavedAs(kept.Snapshot))
	}
	if said := advice.GitSaid(err); len(said) > 0 {
		s.Note("git says:\n  %s", strings.Join(said, "\n  "))
	}
	for _, h := range advice.On(err) {
		if s.Hints {
			s.Note("hint: %s", h)
		}
	}
	list(s, err)
}

// oneOrMore makes each line of a message safe to print, and indents the lines after the first one.
func oneOrMore(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := range lines {
		lines[i] = quote.Clean(lines[i])
	}
	return strings.Join(lines, "\n       ")
}

func planFaults(s page.Page, faults plan.Faults) {
	for _, f := range faults {
		s.Note("error: %s", quote.Clean(f.Error()))
		if f.Cure != "" && s.Hints {
			s.Note("hint: %s", quote.Clean(f.Cure))
		}
	}
	s.Warn("Nothing was started.\n")
}

// list prints the runs that an error mentions.
func list(s page.Page, err error) {
	var runs []candidate.Summary
	var amb *candidate.AmbiguousError
	var open *start.OpenWorkError
	var others *candidate.ElsewhereOnlyError
	switch {
	case errors.As(err, &amb):
		runs = amb.Runs
	case errors.As(err, &open):
		runs = open.Runs
	case errors.As(err, &others):
		runs = others.Runs
	default:
		return
	}
	side := s.OnErr()
	rows := make([][]string, 0, len(runs))
	for i := range runs {
		rows = append(rows, append([]string{" "}, status.Row(s, &runs[i])...))
	}
	side.Table(rows)
}

// OpenAlready prints the error, and lists the open work that resembles the run to be started.
func OpenAlready(s page.Page, e *start.OpenWorkError) {
	s.Note("%s:", e.Error())
	list(s, e)
	s.Warn("\n")
}

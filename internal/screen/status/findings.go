package status

import (
	"fmt"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
)

// Findings prints what the checks of a run found. The most serious findings come first.
func Findings(s page.Page, r *checkpoint.Run, a *candidate.Picture) {
	for _, level := range []candidate.Severity{candidate.Blocking, candidate.Warning, candidate.Info} {
		told := map[candidate.Code]bool{}
		for _, f := range a.Findings {
			switch {
			case f.Severity != level || told[f.Code]:
			case grouped[f.Code] != [2]string{}:
				told[f.Code] = true
				group(s, r, a, f)
			default:
				Finding(s, f)
			}
		}
	}
}

// grouped holds the texts for findings that are printed together, for one file and for several files.
var grouped = map[candidate.Code][2]string{
	candidate.FindInput:    {"file that this run reads was changed on %s", "files that this run reads were changed on %s"},
	candidate.FindSameFile: {"file changed here and on %s, in different places of the file", "files changed here and on %s, in different places of each file"},
	candidate.FindManifest: {"list of dependencies changed on %s", "lists of dependencies changed on %s"},
}

// group prints the first files with the same kind of finding. For each file it also prints how many lines changed, and who changed them,
// if that is known.
func group(s page.Page, r *checkpoint.Run, a *candidate.Picture, like candidate.Finding) {
	var rows [][]string
	for _, f := range a.Findings {
		if f.Code != like.Code || f.Severity != like.Severity {
			continue
		}
		row := []string{"             " + s.Cut(quote.Clean(f.Path), 36)}
		if f.By != nil {
			row = append(row, fmt.Sprintf("+%d -%d", f.By.Added, f.By.Deleted),
				fmt.Sprintf("%s, %s", s.Cut(quote.Clean(f.By.Author), 20), s.When(f.By.When)), f.By.Commit.Short())
		}
		rows = append(rows, row)
	}
	said := grouped[like.Code]
	s.Row(levels[like.Severity], fmt.Sprintf(phrase.Count(len(rows), said[0], said[1]), quote.Clean(words.BaseName(r))))
	const most = 8
	more := len(rows) - most
	s.Table(rows[:min(most, len(rows))])
	if more > 0 {
		s.Say("             and %d more\n", more)
	}
}

// levels holds the word for each severity.
var levels = map[candidate.Severity]string{candidate.Blocking: "blocked", candidate.Warning: "warning", candidate.Info: "info"}

func Finding(s page.Page, f candidate.Finding) {
	word := levels[f.Severity]
	switch f.Code {
	case candidate.FindConflict:
		word = "conflict "
	case candidate.FindBranchLost:
		word = "missing"
	}
	s.Row(word, words.AtPath(f, phrase.Unbroken(s.Cut(quote.Clean(f.Path), 60)), quote.Clean(words.Text(f))))
	const indent = "             "
	more := words.More(f, s.Now.Location())
	if f.Code == candidate.FindUntrusted { // print all commands in full, because the user is going to approve them
		for _, line := range page.CommandLines(f.More, indent, s.Width()) {
			s.Say("%s\n", line)
		}
		return
	}
	if f.Code == candidate.FindPlanChanged { // print the command on one line, so that the user can copy it
		for _, m := range more {
			s.Say("%s%s\n", indent, quote.Clean(m))
		}
		return
	}
	const most = 6
	for i, m := range more {
		if i == most {
			s.Say("%sand %d more\n", indent, len(more)-most)
			break
		}
		s.Paragraph(indent, indent, quote.Clean(m))
	}
}

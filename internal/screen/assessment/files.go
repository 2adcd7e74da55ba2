package assessment

import (
	"fmt"
	"slices"

	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/sources"
)

// ownFiles prints three parts about another system's work: the files that the work needs, whether the system's state file agrees with its
// stories, and the dependencies of the work. It leaves out a part about which nothing is known.
func ownFiles(s page.Page, a *assess.Assessment) {
	f := a.Summary.Found
	if f == nil {
		return
	}
	var rows [][]string
	const most = 30
	for i, n := range f.Needs {
		if i == most {
			rows = append(rows, []string{fmt.Sprintf("  and %s", phrase.Count(len(f.Needs)-most, "more file", "more files"))})
			break
		}
		why := ""
		if n.For != "" {
			why = map[bool]string{true: "made by ", false: "for "}[n.Made] + quote.Clean(n.For)
		}
		rows = append(rows, []string{"  " + s.Cut(quote.Clean(n.Path), 50), fileWord(a, n), why})
	}
	if len(rows) > 0 {
		s.Say("\n")
		s.Table(append([][]string{{"  file", "now", "needed"}}, rows...))
	}
	said, _ := f.Protocol["status_consistency"].([]any)
	rows = nil
	for _, entry := range said[:min(most, len(said))] {
		row, _ := entry.(map[string]any)
		rows = append(rows, []string{"  " + word(row["story"]), stateSays(row), word(row["story_says"]), word(row["interpretation"])})
	}
	if len(rows) > 0 {
		s.Say("\n")
		s.Table(append([][]string{{"  story", "state says", "story says", ""}}, rows...))
	}
	if chain, ok := f.Protocol["dependencies"].(string); ok {
		s.Say("\n")
		s.Paragraph("", "  ", "Dependencies: "+quote.Clean(chain))
	} else if len(said) > 0 {
		s.Say("\nDependencies: none are named\n")
	}
}

func word(v any) string {
	text, _ := v.(string)
	return quote.Clean(text)
}

// changes lists the codes of findings about a changed file.
var changes = []candidate.Code{sources.DoubtScope, sources.DoubtForeignChange, "story-changed"}

// fileWord returns "missing", "changed" or "present". If the screen already shows another problem with the file, it returns "see above".
func fileWord(a *assess.Assessment, n sources.File) string {
	if n.Missing {
		return "missing"
	}
	if n.Changed {
		return "changed"
	}
	for _, x := range a.Findings {
		if x.Path == n.Path && x.Severity > candidate.Info {
			if slices.Contains(changes, x.Code) {
				return "changed"
			}
			return "see above"
		}
	}
	return "present"
}

// stateSays returns what the state file says about a story. If it says nothing, stateSays returns the step of the workflow in
// parentheses, or "-" if that is not known either.
func stateSays(row map[string]any) string {
	if said := word(row["state_says"]); said != "" {
		return said
	}
	if place := word(row["state_place"]); place != "" {
		return "(" + place + ")"
	}
	return "-"
}

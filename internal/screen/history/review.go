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

// Review prints the commits and changes of a run.
func Review(s page.Page, v *merge.Reviewed) {
	r := &v.Summary.Run
	if v.Summary.Found != nil {
		s.Headed(words.Name(&v.Summary), words.ForeignHeadline(&v.Summary, s.Now))
	} else {
		s.Headed(words.Title(r), words.Headline(&v.Summary, s.Now))
	}
	commits := reviewedTasks(s, v)
	if v.Summary.Found != nil {
		reviewedElsewhere(s, v, commits)
	}
	if v.Stat != "" {
		s.Say("\ncompared with %s %s:\n", words.BaseName(r), v.From.Short())
		s.Lines(v.Stat)
	}
	if v.Diff != "" {
		s.Say("\n")
		s.Lines(v.Diff)
	}
}

// reviewedTasks prints the tasks in columns, and below a task the changes of its commit if they are known. It returns how many tasks have
// a commit.
func reviewedTasks(s page.Page, v *merge.Reviewed) (commits int) {
	rows := make([][]string, 0, len(v.Tasks))
	digits := len(fmt.Sprint(len(v.Tasks)))
	for i, t := range v.Tasks {
		row := []string{fmt.Sprintf("  %s %*d", status.Mark(s, &v.Summary, t.Task), digits, i+1), quote.Clean(string(t.Task.ID))}
		if v.Summary.Found != nil {
			row = append(row, quote.Clean(t.Task.Title))
		}
		if t.Commit != "" {
			commits++
			row = append(row, fmt.Sprintf("%s %s", t.Commit.Short(), quote.Clean(t.Subject)))
		} else {
			row = append(row, status.Result(&v.Summary, t.Task))
		}
		rows = append(rows, row)
	}
	width := 0
	if s.Terminal {
		width = s.Width()
	}
	for i, lines := range page.TableRows(rows, width) {
		for _, line := range lines {
			s.Say("%s\n", line)
		}
		if stat := v.Tasks[i].Stat; stat != "" {
			s.Say("       %s\n", strings.TrimSpace(quote.Clean(stat)))
		}
	}
	return commits
}

// reviewedElsewhere prints further information about another system's work, such as its uncommitted files.
func reviewedElsewhere(s page.Page, v *merge.Reviewed, commits int) {
	if commits == 0 || v.Looked {
		s.Say("\n")
	}
	if commits == 0 {
		s.Say("  commits      none known for its tasks\n")
	}
	switch n := len(v.Uncommitted); {
	case n > 0:
		s.Paragraph("  uncommitted  ", "               ", fmt.Sprintf("%s: %s", phrase.Count(n, "file", "files"), phrase.Some(v.Uncommitted)))
	case v.OwnState:
		s.Say("  uncommitted  nothing but its own state\n")
	case v.Looked:
		s.Say("  uncommitted  nothing\n")
	}
}

package sharing

import (
	"errors"
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/exchange"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/words"
)

// Level is the severity of an annotation in GitHub Actions.
type Level string

const (
	Notice  Level = "notice"
	Warning Level = "warning"
	Error   Level = "error"
)

// Annotate prints a line that GitHub Actions shows as an annotation of the job. Texts of others cannot end the line or begin a command to
// GitHub Actions, because the characters for that are escaped.
func Annotate(s page.Page, level Level, title, text string) {
	s.Warn("::%s title=%s::%s\n", level, inProperty(title), inMessage(text))
}

// inMessage escapes the text of an annotation in the way that GitHub Actions expects.
func inMessage(text string) string {
	var lines []string
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		lines = append(lines, quote.Clean(line))
	}
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(strings.Join(lines, "\n"))
}

// inProperty escapes a property of an annotation, in which colons and commas have a meaning too.
func inProperty(text string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(inMessage(text))
}

// Ended says in a sentence how a command ended, and how important that is.
func Ended(r *checkpoint.Run, err error) (Level, string) {
	var ended exit.Code
	var leased *exchange.LeasedError
	switch {
	case err == nil && r != nil && r.Finished:
		return Notice, "The run is finished."
	case err == nil && r != nil && !r.Closed():
		return Notice, "The job did what it could. The run is not finished."
	case err == nil:
		return Notice, "Nothing is left to do here."
	case errors.As(err, &leased):
		return Warning, err.Error() + "."
	case !errors.As(err, &ended):
		return Error, err.Error() + "."
	}
	switch int(ended) {
	case exit.TimeUp:
		return Notice, "The time limit is reached, and the run is not finished. The next job continues it."
	case exit.Busy:
		return Warning, "Somebody else works on the run, or took it over. What was done here since then is kept, but possibly it is not part of the run."
	case exit.Interrupted:
		return Warning, "The job was stopped. The next job continues the run."
	case exit.Decide, exit.Waiting:
		return Error, "A person has to decide before the run can continue."
	}
	if r != nil {
		for _, t := range r.Tasks {
			if t.State == checkpoint.Failed {
				return Error, fmt.Sprintf("Task '%s' failed.", t.ID)
			}
		}
	}
	return Error, fmt.Sprintf("The run stopped with exit code %d.", int(ended))
}

// Job is what a machine did for a run.
type Job struct {
	Run    *checkpoint.Run
	Remote string
	// Ended says in a sentence how the job ended.
	Ended string
}

// summaryTasks is the largest number of tasks that a summary lists.
const summaryTasks = 200

// Summary returns the text that GitHub Actions shows on the page of the job, in Markdown.
func (j Job) Summary() string {
	var b strings.Builder
	tally := words.TallyOf(j.Run.Tasks)
	fmt.Fprintf(&b, "### git resume: %s\n\n%s %d of %d tasks are done%s. The run is shared at %s.\n\n", code(string(j.Run.ID)), literal(j.Ended), tally.Done, len(j.Run.Tasks), tally.Besides(), code(j.Remote))
	b.WriteString("| task | state | commit |\n|---|---|---|\n")
	for i, t := range j.Run.Tasks {
		if i == summaryTasks {
			fmt.Fprintf(&b, "\nand %d more tasks\n", len(j.Run.Tasks)-i)
			break
		}
		at := ""
		if t.Commit != "" {
			at = code(t.Commit.Short())
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", code(string(t.ID)), literal(string(t.State)), at)
	}
	b.WriteString("\n")
	return b.String()
}

// The function "code" makes Markdown show a text as code. The text may come from other people, so the function changes the characters with
// which the text could end the code, the cell of the table or the line.
func code(text string) string {
	text = strings.NewReplacer("`", "'", "|", "¦", "\n", " ", "\r", " ").Replace(quote.Clean(text))
	return "`" + strings.TrimSpace(text) + " `"
}

// literal escapes characters that have a meaning in Markdown or HTML.
func literal(text string) string {
	text = strings.NewReplacer("\n", " ", "\r", " ").Replace(quote.Clean(text))
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "]", "\\]", "|", "\\|", "#", "\\#", "!", "\\!", "@", "&#64;", "\\", "\\\\").Replace(text)
}

package history

import (
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/handler/merge"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/status"
	"github.com/git-resume/git-resume/internal/screen/words"
)

// markdownSigns replaces characters that have a meaning in Markdown by a harmless form. The empty HTML comments keep servers from making
// a link or a mention.
var markdownSigns = func() *strings.Replacer {
	pairs := []string{"://", ":<!-- -->//", "www.", "www<!-- -->.", "@", "@<!-- -->", "#", "#<!-- -->", "&", "&amp;", "<", "&lt;", ">", "&gt;"}
	for _, c := range "\\`*_{}[]!|~$" {
		pairs = append(pairs, string(c), "\\"+string(c))
	}
	return strings.NewReplacer(pairs...)
}()

// markdownText makes text that others wrote harmless in Markdown: the text stays one line of plain text.
func markdownText(text string) string {
	return markdownSigns.Replace(quote.Clean(text))
}

// Markdown returns the review of a run as Markdown, for the body of a pull request.
func Markdown(v *merge.Reviewed) string {
	var b strings.Builder
	r := &v.Summary.Run
	done := 0
	for _, t := range v.Tasks {
		if t.Task.State == checkpoint.Done {
			done++
		}
	}
	fmt.Fprintf(&b, "Run %s: %d of %s done.\n", markdownText(words.Name(&v.Summary)), done, phrase.Count(len(v.Tasks), "task", "tasks"))
	if len(v.Tasks) > 0 {
		b.WriteString("\n")
	}
	for _, t := range v.Tasks {
		b.WriteString(markdownTask(v, t))
	}
	if len(v.Uncommitted) > 0 {
		fmt.Fprintf(&b, "\nNot committed: %s\n", markdownText(phrase.Some(v.Uncommitted)))
	}
	if v.Stat != "" {
		fmt.Fprintf(&b, "\nCompared with %s %s:\n\n", markdownText(words.BaseName(r)), v.From.Short())
		b.WriteString(indented(v.Stat))
	}
	if v.Diff != "" {
		b.WriteString("\n" + indented(v.Diff))
	}
	return b.String()
}

// markdownTask returns the lines of one task.
func markdownTask(v *merge.Reviewed, t merge.TaskReview) string {
	box := " "
	if t.Task.State == checkpoint.Done {
		box = "x"
	}
	line := fmt.Sprintf("- [%s] %s", box, markdownText(string(t.Task.ID)))
	if t.Task.Title != "" && t.Task.Title != string(t.Task.ID) {
		line += ": " + markdownText(t.Task.Title)
	}
	if t.Commit != "" {
		line += fmt.Sprintf(" (%s)", t.Commit)
	} else if result := status.Result(&v.Summary, t.Task); result != "" {
		line += ": " + markdownText(result)
	}
	if stat := strings.TrimSpace(t.Stat); stat != "" {
		line += "\\\n  " + markdownText(stat)
	}
	return line + "\n"
}

// indented writes lines as a code block. Indentation needs no closing mark, so no line can end the block.
func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line = quote.Clean(strings.ReplaceAll(strings.TrimRight(line, "\n"), "\t", "    ")); line == "" {
			b.WriteString("\n")
			continue
		}
		b.WriteString("    " + line + "\n")
	}
	return b.String()
}

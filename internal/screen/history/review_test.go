package history

import (
	"bytes"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler/merge"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/sources"
)

func TestReview_keepsItsColumns(t *testing.T) {
	t.Parallel()
	tasks := []checkpoint.Task{
		{ID: "chunk-1-1", Title: "Add the table", State: checkpoint.Done, Commit: "c555dc9aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
		{ID: "chunk-1-12", Title: "Add and remove items", State: checkpoint.Active},
	}
	v := &merge.Reviewed{Summary: candidate.Summary{Found: &sources.Found{}, Run: checkpoint.Run{Tasks: tasks}}}
	v.Tasks = []merge.TaskReview{
		{Task: tasks[0], Commit: tasks[0].Commit, Subject: "auto-claude: chunk-1-1 - Add the table", Stat: "1 file changed"},
		{Task: tasks[1]},
	}
	for terminal, want := range map[bool]string{
		true: "  ✓ 1  chunk-1-1   Add the table         c555dc9 auto-claude: chunk-1-1 - Add\n" +
			"                                         the table\n       1 file changed\n" +
			"  → 2  chunk-1-12  Add and remove items  was in progress\n",
		false: "  ✓ 1  chunk-1-1   Add the table         c555dc9 auto-claude: chunk-1-1 - Add the table\n       1 file changed\n" +
			"  → 2  chunk-1-12  Add and remove items  was in progress\n",
	} {
		var out bytes.Buffer
		reviewedTasks(page.Page{Out: &out, Terminal: terminal, Marks: page.UTF8}, v)
		if out.String() != want {
			t.Errorf("terminal %v:\n%swant:\n%s", terminal, out.String(), want)
		}
	}
}

func TestMarkdown_isHarmless(t *testing.T) {
	t.Parallel()
	hostile := "a](http://x) <img src=x> @me #1 `c` **b**\n# head\n| t |\x1b[31m"
	tasks := []checkpoint.Task{{ID: "a", Title: hostile, State: checkpoint.Done}}
	v := &merge.Reviewed{Summary: candidate.Summary{Run: checkpoint.Run{ID: "job-ab2c", Name: "job", Tasks: tasks}}}
	v.Tasks = []merge.TaskReview{{Task: tasks[0], Stat: hostile}}
	v.From, v.Stat = "c555dc9aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", " ```\n</pre> @me | 1 +"
	got := Markdown(v)
	for _, bad := range []string{" a](http", "http://x", "<img", "@me #", "`c`", "**b**", "\n# head", "\n| t", "\x1b", "\n```", "\n</pre>"} {
		if strings.Contains(got, bad) {
			t.Errorf("%q in\n%s", bad, got)
		}
	}
	for _, want := range []string{"- [x] a: a\\](http:<!", "\n     ```\n    </pre> @me | 1 +\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

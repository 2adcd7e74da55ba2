package history

import (
	"bytes"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler/merge"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/sources"
)

// The tasks of a review are aligned in columns, both on a terminal and in a pipe.
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

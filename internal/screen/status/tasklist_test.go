package status

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/screen/page"
)

// run25 has 25 tasks, of which the first 13 are done and the 14th failed.
func run25() *candidate.Summary {
	m := &candidate.Summary{}
	for i := range 25 {
		t := checkpoint.Task{ID: checkpoint.TaskID(fmt.Sprintf("t%d", i+1)), Title: "rewrite a module of the billing service so that it uses the new ledger", State: checkpoint.Pending}
		switch {
		case i < 13:
			t.State = checkpoint.Done
		case i == 13:
			t.State, t.Reason = checkpoint.Failed, "exit 1"
		}
		m.Run.Tasks = append(m.Run.Tasks, t)
	}
	return m
}

func around(m *candidate.Summary, columns int) string {
	var out bytes.Buffer
	TasksAround(page.Page{Out: &out, Err: &out, Marks: page.ASCII, Columns: columns, Terminal: columns > 0}, m, Roomy)
	return out.String()
}

// numbers returns the task number of each line. A line such as "… 10 done", which stands for tasks that are not shown, is returned whole.
func numbers(text string) string {
	var out []string
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); strings.HasPrefix(f[0], "…") {
			out = append(out, strings.TrimSpace(line))
		} else {
			out = append(out, f[1])
		}
	}
	return strings.Join(out, " ")
}

func TestTasksAround_foldsAtATerminal(t *testing.T) {
	t.Parallel()
	if got, want := numbers(around(run25(), 80)), "… 10 done 11 12 13 14 15 16 17 … 8 to do"; got != want {
		t.Errorf("the list shows %q, not %q", got, want)
	}
	odd := run25()
	odd.Run.Tasks[3].State = checkpoint.Skipped
	odd.Run.Tasks[7].State = checkpoint.Failed
	odd.Run.Tasks[22].State = checkpoint.Blocked
	if got, want := numbers(around(odd, 80)), "… 6 done, 1 skipped 8 … 5 done 14 … 5 to do 20 21 22 23 24 25"; got != want {
		t.Errorf("the list shows %q, not %q", got, want)
	}
}

func TestTasksAround_keepsToTheWidth(t *testing.T) {
	t.Parallel()
	for _, columns := range []int{40, 60, 80, 120} {
		for line := range strings.Lines(around(run25(), columns)) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > columns {
				t.Errorf("at %d columns a line has %d: %q", columns, n, line)
			}
		}
	}
	if all := around(run25(), 0); strings.Count(all, "\n") != 25 {
		t.Errorf("without a terminal the whole list is shown, not\n%s", all)
	}
}

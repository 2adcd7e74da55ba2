package assessment

import (
	"bytes"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/sources"
)

func TestCheckRow_cutsAPathAlone(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long-name-", 6)
	var out bytes.Buffer
	s := page.Page{Out: &out, Terminal: true}
	checkRow(s, "info", "uncommitted", "some/"+long+"/"+long+", b; saved in a snapshot")
	for line := range strings.Lines(out.String()) {
		if len([]rune(line)) > page.Usual+1 || strings.Contains(line, "saved") && !strings.Contains(line, "b; saved in a snapshot") {
			t.Errorf("%s", out.String())
		}
	}
}

func TestRemaining_isAnOrderThatCanBeDone(t *testing.T) {
	t.Parallel()
	task := func(id string, state checkpoint.TaskState, needs ...string) sources.Task {
		return sources.Task{ID: id, State: state, Needs: needs}
	}
	const open, blocked, waits = checkpoint.Pending, checkpoint.Blocked, sources.TaskWaiting
	for _, c := range []struct {
		want, next string
		tasks      []sources.Task
	}{
		{"3, 2 (blocked), 4 (after 2)", "3", []sources.Task{task("1", checkpoint.Done), task("2", blocked, "1"), task("3", checkpoint.Active, "1"), task("4", open, "2")}},
		{"3, 4, 2 (blocked)", "3", []sources.Task{task("2", blocked), task("3", open), task("4", open)}},
		{"1, 3, 2 (blocked)", "1", []sources.Task{task("1", open), task("2", blocked), task("3", open)}},
		{"1, 3, 2", "1", []sources.Task{task("1", open), task("2", open, "3"), task("3", open)}},
		{"2, 1 (waits for an answer), 3 (after 1)", "2", []sources.Task{task("1", waits), task("2", open), task("3", open, "1")}},
		{"1, 3, 2", "1", []sources.Task{task("1", open), task("2", open, "3"), task("3", open, "2")}}, // tasks 2 and 3 depend on each other
		{"2, 1", "2", []sources.Task{task("1", open), task("2", open, "1")}},                          // task 2 is the next step, although it depends on task 1
	} {
		a := &assess.Assessment{Summary: candidate.Summary{Found: &sources.Found{Tasks: c.tasks, Point: sources.Point{Task: c.next}}}}
		for _, x := range c.tasks {
			a.Summary.Run.Tasks = append(a.Summary.Run.Tasks, checkpoint.Task{ID: checkpoint.TaskID(x.ID), State: x.State})
		}
		if got := remaining(a); got != "Left to do, in this order: "+c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

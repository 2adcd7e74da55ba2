package history

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/screen/page"
)

func TestTimeline_showsWorkAndStandstill(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 14, 13, 20, 0, 0, time.UTC)
	at := func(minutes int) time.Time { return start.Add(time.Duration(minutes) * time.Minute) }
	event := func(minutes int, kind checkpoint.Kind, task checkpoint.TaskID) checkpoint.Line {
		return checkpoint.Line{Event: checkpoint.Event{At: at(minutes), Event: kind, Task: task}}
	}
	lines := []checkpoint.Line{
		event(0, checkpoint.TaskStarted, "schema"), event(7, checkpoint.TaskDone, "schema"),
		event(7, checkpoint.TaskStarted, "backfill"), event(24, checkpoint.TaskFailed, "backfill"),
		event(26, checkpoint.TaskStarted, "backfill"), event(30, checkpoint.TaskDone, "backfill"),
		event(30, checkpoint.TaskStarted, "login"), {Bad: true},
	}
	m := candidate.Summary{State: checkpoint.Interrupted, Run: checkpoint.Run{
		ID: "job-a7f3", Name: "job", Started: start, LastAt: at(34), Base: checkpoint.Base{Name: "main", Commit: "9f3c2d1aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
		Tasks: []checkpoint.Task{{ID: "schema", State: checkpoint.Done}, {ID: "backfill", State: checkpoint.Done},
			{ID: "login", State: checkpoint.Active}, {ID: "tests"}},
	}}
	var got bytes.Buffer
	Timeline(page.Page{Out: &got, Now: at(88), Marks: page.UTF8}, &m, lines)
	want := `job (a7f3)  started 2026-11-14 13:20 from main 9f3c2d1
              13:20      13:42      14:04      14:26
   1 schema   ████                                         7m
   2 backfill    █████████████                             21m
   3 login                   ███░░░░░░░░░░░░░░░░░░░░░░░░░░ 4m + stopped 54m
   4 tests
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
	got.Reset()
	m.State = checkpoint.Running
	Timeline(page.Page{Out: &got, Now: at(88), Marks: page.ASCII}, &m, lines)
	if row := `   3 login                   ############################# 58m`; !strings.Contains(got.String(), row+"\n") {
		t.Errorf("a task that runs is not drawn as work until now:\n%s", got.String())
	}
	got.Reset()
	m.Run.LastAt = start // no event after the start
	Timeline(page.Page{Out: &got, Now: start, Marks: page.ASCII}, &m, nil)
	if bytes.ContainsAny(got.Bytes(), "#") {
		t.Errorf("nothing was worked on:\n%s", got.String())
	}
}

package outcome

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/screen/page"
)

func TestSide_estimate(t *testing.T) {
	at := time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC)
	now := at
	p := &Progress{Screen: page.Page{Out: io.Discard, Err: io.Discard}, Clock: func() time.Time { return now }}
	r := &checkpoint.Run{Tasks: []checkpoint.Task{
		{ID: "a", State: checkpoint.Done, Started: at, Ended: at.Add(10 * time.Second)},
		{ID: "b", State: checkpoint.Failed, Started: at, Ended: at.Add(30 * time.Second)},
		{ID: "c", State: checkpoint.Active, Started: at, Ended: at.Add(time.Hour)}, // the active attempt has no end yet: Ended is the end of an earlier attempt
		{ID: "d", State: checkpoint.Pending},
	}}
	w, done := p.Beside(2, nil, r)
	defer done()
	s := w.(*Side)
	s.Begins(2, 4, plan.Task{ID: "b"}, 1)
	s.Begins(3, 4, plan.Task{ID: "c"}, 1)
	now = at.Add(10 * time.Second)
	// b and c have run for 10 seconds. The last attempt of b took 30 seconds, so 20 are left. c and d should take 20 seconds each, the
	// average of a and b: 10 are left of c, and 20 of d. Two tasks run at a time, so 50 seconds of work take 25.
	if got, want := s.view().count(now), "1 of 4 done, 2 running, about 25 seconds left"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := s.view().elapsed(s.view().lines[0], now), "10 seconds of about 30 seconds"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	s.Stopping()
	if got, want := s.view().count(now), "stopping; 2 tasks are still running; press Ctrl-C again to end at once"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestLive_showsWhatTheRunningCommandShows(t *testing.T) {
	at := time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC)
	var out strings.Builder
	l := &Live{Screen: page.Page{Out: &out, Err: io.Discard, Columns: 60}}
	r := &checkpoint.Run{Tasks: []checkpoint.Task{
		{ID: "a", State: checkpoint.Active, Started: at}, {ID: "b", State: checkpoint.Active, Started: at}, {ID: "c", State: checkpoint.Pending},
	}}
	last := func(t *checkpoint.Task) string {
		return "\x1b[31mlast line of " + string(t.ID) + strings.Repeat(" long", 20)
	}
	l.Show(r, at.Add(3*time.Second), last)
	want := "[1/3] a  3 seconds  last lin…long long long long long long\n[2/3] b  3 seconds  last lin…long long long long long long\n0 of 3 done, 2 running\n"
	if got := out.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	out.Reset()
	r.Tasks[0].State, r.Tasks[0].Ended, r.Tasks[0].Commit = checkpoint.Done, at.Add(4*time.Second), "0123456789abcdef0123456789abcdef01234567"
	l.Show(r, at.Add(5*time.Second), func(*checkpoint.Task) string { return "" })
	want = "\r\x1b[3A\x1b[J[1/3] a  done in 4 seconds, committed as 0123456\n[2/3] b  5 seconds  \n1 of 3 done, 1 running, about 4 seconds left\n"
	if got := out.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	out.Reset()
	l.Close()
	if got, want := out.String(), "\r\x1b[2A\x1b[J"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The last line of a task's output is printed although it has no line end.
func TestSide_printsTheLastLine(t *testing.T) {
	var out, errs strings.Builder
	p := &Progress{Screen: page.Page{Out: &out, Err: &errs}, Out: &out, Err: &errs, Clock: time.Now}
	w, done := p.Beside(2, nil, &checkpoint.Run{})
	defer done()
	s := w.(*Side)
	s.Begins(1, 1, plan.Task{ID: "a"}, 1)
	to, _ := s.StreamsOf(plan.Task{ID: "a"})
	_, _ = io.WriteString(to, "first\nlast")
	s.Ends(1, 1, plan.Task{ID: "a"}, &execution.Outcome{State: checkpoint.Done})
	if got, want := out.String(), "a: first\na: last\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

package outcome

import (
	"io"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/screen/page"
)

// TestSide_estimate checks the line below the tasks at work: what it counts, and how long it says that the rest takes.
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
	// The last attempt of b took 30 seconds, so 20 are left. c and d are expected to take 20 seconds, the average of a and b: 10 are left
	// of c, and 20 of d. Two tasks run at a time, so 50 seconds of work take 25.
	if got, want := s.count(now), "1 of 4 done, 2 at work, about 25 seconds left"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := s.elapsed("b", now), "10 seconds of about 30 seconds"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	s.Stopping()
	if got, want := s.count(now), "stopping, 2 still at work; Ctrl-C again ends them at once"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

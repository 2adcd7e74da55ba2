package words

import (
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/sources"
)

func TestState_saysWhatTheHeadlineSays(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name           string
		m              candidate.Summary
		state, heading string
	}{
		{"a sign of somebody", candidate.Summary{State: checkpoint.Running, Busy: "its state changed", Found: &sources.Found{Stands: "plan 2 of 4"}}, "may be running", "may be running at plan 2 of 4"},
		{"a tool that we started", candidate.Summary{State: checkpoint.Running, Found: &sources.Found{Stands: "plan 2 of 4"}}, "running", "is running at plan 2 of 4"},
		{"a status that is not known", candidate.Summary{State: checkpoint.Idle, Found: &sources.Found{State: sources.Unknown, Stands: "iteration 2 of 10"}}, "unknown", "is open at iteration 2 of 10"},
		{"nothing was started", candidate.Summary{State: checkpoint.Idle, Found: &sources.Found{State: sources.NotStarted}}, "idle", "is open"},
	} {
		if got := State(&c.m); got != c.state {
			t.Errorf("%s: the list says %q, want %q", c.name, got, c.state)
		}
		if got := ForeignHeadline(&c.m, now); got != c.heading {
			t.Errorf("%s: the screen says %q, want %q", c.name, got, c.heading)
		}
	}
}

// The start and the pause of a run keep their times if something is reported later.
func TestHeadline_laterReports(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	r := checkpoint.Run{Started: now.Add(-5 * 24 * time.Hour), LastAt: now.Add(-time.Hour), LastEvent: checkpoint.TaskAdded, Tasks: []checkpoint.Task{{ID: "a", State: checkpoint.Pending}, {ID: "b", State: checkpoint.Pending}}}
	m := candidate.Summary{Run: r, State: checkpoint.Idle}
	if got, want := Headline(&m, now), "was started 5 days ago; no task has started"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	m.State, m.Run.Paused, m.Run.Cause, m.Run.LastEvent = checkpoint.Paused, true, "lunch", checkpoint.TaskSkipped
	if got, want := Headline(&m, now), "is paused at task 1 of 2: lunch; last report 1 hour ago"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	m.Run.LastEvent = checkpoint.RunPaused
	if got, want := Headline(&m, now), "was paused 1 hour ago at task 1 of 2: lunch"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// If both sides changed a file without a conflict, the text does not say that nothing overlaps. If a merge cannot be decided, it does not
// say that there is no conflict.
func TestSince_conflicts(t *testing.T) {
	t.Parallel()
	a := assess.Assessment{Conflicts: &conflicts.Report{}, Touched: 2}
	a.Summary.Run.Base.Name = "main"
	if got, want := Since(&a, "main"), "no conflict with what changed on main (2 files checked)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	a.Findings = []candidate.Finding{{Code: candidate.FindCannotTell, Severity: candidate.Blocking}}
	if got, want := Since(&a, "main"), "2 files changed here, checked against what changed on main"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	// The branch of another system's work has all commits of a base that has moved.
	a = assess.Assessment{}
	a.Summary.Found, a.Summary.Run.Base.Name, a.Summary.Run.Base.Commit, a.Seen.Base = &sources.Found{}, "main", "1111", "2222"
	if got, want := Since(&a, "main"), "its branch has all commits of main"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A run whose agent reached a limit does not look as if somebody worked on it.
func TestWhyStopped_limit(t *testing.T) {
	t.Parallel()
	d := assess.Decision{Why: assess.WhyBusy, Reasons: []assess.Reason{{Case: assess.ReasonLimited}}}
	if got, want := WhyStopped(d), "its agent reached a usage limit that still applies"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestForeignHeadline_tellsOurOwnChange(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	m := candidate.Summary{State: checkpoint.Interrupted, Run: checkpoint.Run{LastAt: now.Add(-time.Hour)}, Found: &sources.Found{Stands: "step B2", Active: now.Add(-2 * time.Minute)}}
	if got, want := ForeignHeadline(&m, now), "stopped 1 hour ago, and was changed here 2 minutes ago; it is now at step B2"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	m.Found.Active = m.Run.LastAt
	if got, want := ForeignHeadline(&m, now), "stopped 1 hour ago at step B2"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

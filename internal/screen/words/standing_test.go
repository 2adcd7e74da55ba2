package words

import (
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
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

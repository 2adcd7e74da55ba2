package sessions

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/proc"
)

// TestShown has a row for each rule about what is worth a line. In each row, the first session is the one in question, and the others are
// around it.
func TestShown(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 19, 8, 30, 0, 0, time.UTC)
	const hour, day = time.Hour, 24 * time.Hour
	one := func(state State, age time.Duration) Session {
		return Session{Agent: "claude", ID: "one", Dir: "/a/sub", Tree: "/a", State: state, Last: now.Add(-age), Began: now.Add(-age - hour), Fate: proc.Dead, First: "Fix it"}
	}
	with := func(s Session, change func(*Session)) Session {
		change(&s)
		return s
	}
	soft := func(s Session) Session { return with(s, func(s *Session) { s.Soft = true }) }
	until := func(s Session, in time.Duration) Session { return with(s, func(s *Session) { s.Until = now.Add(in) }) }
	fate := func(s Session, f proc.Fate, busy bool) Session {
		return with(s, func(s *Session) { s.Fate, s.Busy = f, busy })
	}
	other := func(s Session, change func(*Session)) Session {
		s.ID = "other"
		return with(s, change)
	}
	same := func(*Session) {}
	planned := func(s *Session) { s.plan = "bright-red-fox" }
	unanswered := func(s *Session) { s.First, s.Unanswered = "Fix the login form", true }
	older := func(hours int) Session {
		return with(one(Cut, time.Duration(hours)*hour), func(s *Session) { s.ID = fmt.Sprint("other", hours) })
	}
	for _, c := range []struct {
		what   string
		all    []Session
		ground string // what git knows: uncommitted, touched
		want   State
	}{
		{"a finished session", []Session{one(Finished, hour)}, "uncommitted touched", ""},
		{"a session without an entry", []Session{one(Empty, hour)}, "uncommitted touched", ""},
		{"a question of a tool", []Session{one(Waits, 29*day)}, "", Waits},
		{"a question of a tool below a newer session", []Session{one(Waits, 2*hour), other(one(Finished, hour), same)}, "", Waits},
		{"a plan that a newer session carries out", []Session{with(one(Waits, 2*hour), planned), with(older(1), planned)}, "", ""},
		{"a plan beside a newer session of another plan", []Session{with(one(Waits, 2*hour), planned), older(1)}, "", Waits},
		{"a limit that is not over", []Session{until(one(Limit, hour), hour)}, "", Limit},
		{"a limit whose end is not known", []Session{one(Limit, 23*hour)}, "", Limit},
		{"a limit whose end is not known, of yesterday", []Session{one(Limit, 25*hour)}, "", Cut},
		{"a limit whose end is not known, old", []Session{one(Limit, 5*day)}, "uncommitted", ""},
		{"a limit that is over", []Session{until(one(Limit, 2*hour), -hour)}, "", Cut},
		{"a limit that is long over", []Session{until(one(Limit, 15*day), -14*day)}, "touched", ""},
		{"a limit that is over, and the agent has worked since", []Session{until(one(Limit, 3*hour), -2*hour), other(one(Finished, hour), func(s *Session) { s.First = "Fix that" })}, "", ""},
		{"a limit that is over, and the agent has worked before that", []Session{until(one(Limit, 3*hour), -hour), other(one(Finished, 2*hour), func(s *Session) { s.First = "Fix that" })}, "", Cut},
		{"a limit of yesterday, and the agent has worked since", []Session{one(Limit, 25*hour), other(one(Finished, hour), func(s *Session) { s.First = "Fix that" })}, "", ""},
		{"a limit, then a limit with the same prompt", []Session{until(one(Limit, 2*hour), hour), other(until(one(Limit, hour), hour), same)}, "", ""},
		{"a program at work", []Session{fate(one(Cut, 20*day), proc.Alive, true)}, "", Running},
		{"a program at work after a turn", []Session{fate(one(Finished, hour), proc.Alive, true)}, "", Running},
		{"a program that is open and idle", []Session{fate(one(Finished, hour), proc.Alive, false)}, "touched", ""},
		{"a program that is open and idle after an error", []Session{fate(one(Cut, hour), proc.Alive, false)}, "", Cut},
		{"a program that asks", []Session{fate(one(Waits, hour), proc.Alive, false)}, "", Waits},
		{"a program that waits for the end of a limit", []Session{fate(until(one(Limit, hour), hour), proc.Alive, false)}, "", Limit},
		{"perhaps a program, a minute ago", []Session{fate(one(Cut, time.Minute), proc.Unknown, false)}, "", Running},
		{"perhaps a program, an hour ago", []Session{fate(one(Cut, hour), proc.Unknown, false)}, "", Cut},
		{"no program, a minute ago", []Session{one(Cut, time.Minute)}, "", Cut},
		{"a question in prose", []Session{soft(one(Waits, hour))}, "", Waits},
		{"a question in prose, old", []Session{soft(one(Waits, 4*day))}, "uncommitted touched", ""},
		{"a question in prose below a newer session", []Session{soft(one(Waits, 2*hour)), other(one(Cut, hour), same)}, "", ""},
		{"a question in prose below a new, empty session", []Session{soft(one(Waits, 2*hour)), other(one(Empty, hour), same)}, "", ""},
		{"a question in prose, and another agent", []Session{soft(one(Waits, 2*hour)), other(one(Finished, hour), func(s *Session) { s.Agent = "codex" })}, "", Waits},
		{"a question in prose, and another folder", []Session{soft(one(Waits, 2*hour)), other(one(Finished, hour), func(s *Session) { s.Dir = "/a" })}, "", Waits},
		{"cut lately", []Session{one(Cut, 2*day)}, "", Cut},
		{"cut lately below a newer session", []Session{one(Cut, 2*hour), other(one(Cut, hour), func(s *Session) { s.First = "Fix that" })}, "", Cut},
		{"cut some days ago", []Session{one(Cut, 5*day)}, "uncommitted", ""},
		{"cut some days ago, and something came of it", []Session{one(Cut, 5*day)}, "touched", Cut},
		{"cut some days ago below a newer session that finished", []Session{one(Cut, 5*day), other(one(Finished, hour), func(s *Session) { s.First = "Fix that" })}, "touched", ""},
		{"cut lately below a newer session that finished", []Session{one(Cut, 2*day), other(one(Finished, hour), func(s *Session) { s.First = "Fix that" })}, "", Cut},
		{"a request of nobody who is known", []Session{with(one(Cut, hour), func(s *Session) { s.First, s.Unanswered, s.Denied = "Fix the login form", true, true })}, "touched", ""},
		{"a request of somebody who is not known any more", []Session{with(one(Cut, hour), func(s *Session) { s.First, s.Denied = "Fix the login form", true })}, "", Cut},
		{"cut long ago", []Session{one(Cut, 15*day)}, "touched", ""},
		{"cut, then finished by another agent with the same prompt", []Session{one(Cut, 2*hour), other(one(Finished, hour), func(s *Session) { s.Agent = "codex" })}, "touched", ""},
		{"cut after another session finished with the same prompt", []Session{one(Cut, hour), other(one(Finished, 2*hour), same)}, "", Cut},
		{"cut, then finished with another prompt", []Session{one(Cut, 2*hour), other(one(Finished, hour), func(s *Session) { s.First = "Fix it all" })}, "", Cut},
		{"cut, then finished in another worktree", []Session{one(Cut, 2*hour), other(one(Finished, hour), func(s *Session) { s.Tree = "/b" })}, "", Cut},
		{"cut, then cut with the same prompt", []Session{one(Cut, 2*hour), other(one(Cut, hour), same)}, "touched", ""},
		{"cut, then cut by another agent with the same prompt", []Session{one(Cut, 2*hour), other(one(Cut, hour), func(s *Session) { s.Agent = "codex" })}, "", Cut},
		{"cut, then empty with the same prompt", []Session{one(Cut, 2*hour), other(one(Empty, hour), same)}, "", Cut},
		{"the newest of four with the same prompt", []Session{one(Cut, hour), older(2), older(3), older(4)}, "", Cut},
		{"the newest of five with the same prompt", []Session{one(Cut, hour), older(2), older(3), older(4), older(5)}, "touched", ""},
		{"the newest of five that nobody answered", []Session{with(one(Cut, hour), unanswered), with(older(2), unanswered), with(older(3), unanswered), with(older(4), unanswered), with(older(5), unanswered)}, "", Cut},
		{"a word that was never answered", []Session{with(one(Cut, hour), func(s *Session) { s.Unanswered = true })}, "touched", ""},
		{"a request that was never answered", []Session{with(one(Cut, hour), func(s *Session) { s.First, s.Unanswered = "Fix the login form", true })}, "", Cut},
		{"a request of a script that was never answered", []Session{with(one(Cut, hour), func(s *Session) { s.First, s.Unanswered, s.Script = "Fix the login form", true, true })}, "", ""},
		{"a request of a script that was answered", []Session{with(one(Cut, hour), func(s *Session) { s.Script = true })}, "", Cut},
		{"cut with an unknown prompt", []Session{with(one(Cut, 2*hour), func(s *Session) { s.First = "" }), other(one(Finished, hour), func(s *Session) { s.First = "" })}, "", Cut},
		{"stopped with changes", []Session{one(Stopped, hour)}, "uncommitted", Stopped},
		{"stopped without changes", []Session{one(Stopped, hour)}, "touched", ""},
		{"stopped with changes, old", []Session{one(Stopped, 4*day)}, "uncommitted touched", ""},
		{"stopped with changes below a newer session", []Session{one(Stopped, 2*hour), other(one(Finished, hour), same)}, "uncommitted", ""},
	} {
		g := Ground{
			Uncommitted: func(tree string) bool { return tree == "/a" && strings.Contains(c.ground, "uncommitted") },
			Touched: func(tree string, since time.Time) bool {
				if !since.Equal(c.all[0].Began) {
					t.Errorf("%s: asked for changes since %v, but the session began at %v", c.what, since, c.all[0].Began)
				}
				return tree == "/a" && strings.Contains(c.ground, "touched")
			},
		}
		var got State
		for _, s := range Shown(c.all, now, g) {
			if s.ID == "one" {
				got = s.State
			}
		}
		if got != c.want {
			t.Errorf("%s: shown as %q, want %q", c.what, got, c.want)
		}
	}
}

// TestCanContinue says which sessions may be continued by a second program.
func TestCanContinue(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		agent string
		state State
		fate  proc.Fate
		want  bool
	}{
		{"claude", Cut, proc.Dead, true}, {"claude", Cut, proc.Unknown, true}, {"claude", Waits, proc.Alive, false}, {"codex", Waits, proc.Alive, true},
		{"codex", Running, proc.Alive, false}, {"claude", Limit, proc.Dead, false},
	} {
		if s := (Session{Agent: c.agent, State: c.state, Fate: c.fate}); s.CanContinue() != c.want {
			t.Errorf("%+v", c)
		}
	}
}

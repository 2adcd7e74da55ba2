package sessions

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/git-resume/git-resume/internal/proc"
)

// Ground says what git knows about the folder of a session.
type Ground struct {
	// Uncommitted reports whether a worktree has uncommitted files. Touched reports whether it has uncommitted files, or commits that are
	// nowhere else and newer than a time.
	Uncommitted func(tree string) bool
	Touched     func(tree string, since time.Time) bool
}

// These are the ages up to which a session is worth a line.
const (
	soonForgotten = 3 * 24 * time.Hour
	longKept      = 14 * 24 * time.Hour
	// justWritten is how young a file is whose program may still run, if that cannot be found out.
	justWritten = 2 * time.Minute
	// limitLasts is how long a limit is believed whose end is not known.
	limitLasts = 24 * time.Hour
	// aRobot is how many sessions with the same first prompt make it certain that a program starts them.
	aRobot = 5
)

// Shown returns the sessions that are worth a line, each with the state that people are shown. What has ended well, was answered by a newer
// session, or is old, is left out.
func Shown(all []Session, now time.Time, g Ground) (out []Session) {
	for _, s := range all {
		s.atLimit = s.State == Limit
		if s.State = s.present(now); s.isWanted(all, now, g) {
			out = append(out, s)
		}
	}
	return out
}

// present returns the state of a session now: its program may live, and its limit may be over.
func (s *Session) present(now time.Time) State {
	young := now.Sub(s.Last) < justWritten
	switch {
	case s.State == Limit && (s.Until.After(now) || s.Until.IsZero() && now.Sub(s.Last) < limitLasts):
		return Limit
	case s.Fate == proc.Alive && s.Busy, s.Fate == proc.Unknown && young && s.State == Cut:
		return Running
	case s.State == Limit:
		return Cut
	}
	return s.State
}

func (s *Session) isWanted(all []Session, now time.Time, g Ground) bool {
	age := now.Sub(s.Last)
	switch s.State {
	case Running:
		return true
	case Limit:
		return !s.wasRepeated(all)
	case Waits:
		if s.wasCarriedOn(all) {
			return false
		}
		return !s.Soft || age <= soonForgotten && s.isNewest(all)
	case Stopped:
		return age <= soonForgotten && s.isNewest(all) && g.Uncommitted(s.Tree)
	case Cut:
		since := s.Began
		if since.IsZero() {
			since = s.Last
		}
		if age > longKept || s.isNothing() || s.wasRepeated(all) || s.wasCarriedOn(all) || s.limitWasOver(all, now) {
			return false
		}
		return age <= soonForgotten || !s.hasSuccessor(all) && g.Touched(s.Tree, since)
	}
	return false
}

// isNewest reports whether no other session of this agent was active later in the same folder.
func (s *Session) isNewest(all []Session) bool {
	return !s.hasLater(all, s.Last, func(o *Session) bool { return o.Agent == s.Agent && o.Dir == s.Dir })
}

// hasLater reports whether another session of a kind was active after a time.
func (s *Session) hasLater(all []Session, when time.Time, isOfKind func(o *Session) bool) bool {
	for i := range all {
		if o := &all[i]; o.ID != s.ID && o.Last.After(when) && isOfKind(o) {
			return true
		}
	}
	return false
}

// isNothing reports whether there is nothing to continue: the model never answered, because nobody was logged in, or the prompt was a
// script's or only a word to try it.
func (s *Session) isNothing() bool {
	const words, letters = 2, 16
	return s.Unanswered && (s.Script || s.Denied || len(strings.Fields(s.First)) <= words && utf8.RuneCountInString(s.First) <= letters)
}

// wasCarriedOn reports whether a newer session has the plan of this one: Claude Code begins a new session when a plan is accepted.
func (s *Session) wasCarriedOn(all []Session) bool {
	return s.plan != "" && s.hasLater(all, s.Last, func(o *Session) bool { return o.Agent == s.Agent && o.plan == s.plan })
}

// limitWasOver reports whether the session ended at a limit that is over, and the agent has worked in the same folder since then: people who
// still want such a session continue it.
func (s *Session) limitWasOver(all []Session, now time.Time) bool {
	over := s.Until
	if over.IsZero() && s.atLimit {
		over = s.Last
	}
	return !over.IsZero() && over.Before(now) && s.hasLater(all, over, func(o *Session) bool {
		return o.Agent == s.Agent && o.Dir == s.Dir && (o.State == Finished || o.State == Waits)
	})
}

// hasSuccessor reports whether a newer session of any agent has ended well in the same folder.
func (s *Session) hasSuccessor(all []Session) bool {
	return s.hasLater(all, s.Last, func(o *Session) bool { return o.Dir == s.Dir && (o.State == Finished || o.Soft) })
}

// wasRepeated reports whether a newer session in the same worktree began with the same prompt: people try again in a new session, also with
// another agent, and then that one counts. If many sessions begin so, a program starts them, and none is a person's.
func (s *Session) wasRepeated(all []Session) bool {
	same := 0
	for i := range all {
		o := &all[i]
		if s.First == "" || o.First != s.First || o.Tree != s.Tree || o.State == Empty {
			continue
		}
		if !o.Unanswered {
			same++ // a person sends a request again that nobody answered
		}
		if same == aRobot || o.ID != s.ID && o.Last.After(s.Last) && (o.Agent == s.Agent || o.State == Finished) {
			return true
		}
	}
	return false
}

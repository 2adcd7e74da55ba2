package sessions

import (
	"slices"
	"time"

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
)

// Shown returns the sessions that are worth a line, each with the state that people are shown. What has ended well, was answered by a newer
// session, or is old, is left out.
func Shown(all []Session, now time.Time, g Ground) (out []Session) {
	for _, s := range all {
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
	case s.State == Limit && (s.Until.IsZero() || s.Until.After(now)):
		return Limit
	case s.Fate == proc.Alive && (s.Busy || s.State == Cut), s.Fate == proc.Unknown && young && s.State == Cut:
		return Running
	case s.State == Limit:
		return Cut
	}
	return s.State
}

func (s *Session) isWanted(all []Session, now time.Time, g Ground) bool {
	age := now.Sub(s.Last)
	switch s.State {
	case Running, Limit:
		return true
	case Waits:
		return !s.Soft || age <= soonForgotten && s.isNewest(all)
	case Stopped:
		return age <= soonForgotten && s.isNewest(all) && g.Uncommitted(s.Tree)
	case Cut:
		since := s.Began
		if since.IsZero() {
			since = s.Last
		}
		return age <= longKept && !s.wasRepeated(all) && (age <= soonForgotten || g.Touched(s.Tree, since))
	}
	return false
}

// isNewest reports whether no other session of this agent was active later in the same folder.
func (s *Session) isNewest(all []Session) bool {
	return !slices.ContainsFunc(all, func(o Session) bool {
		return o.Agent == s.Agent && o.Dir == s.Dir && o.ID != s.ID && o.Last.After(s.Last)
	})
}

// wasRepeated reports whether a newer session of any agent began with the same prompt in the same worktree, and has ended well: people try
// again in a new session.
func (s *Session) wasRepeated(all []Session) bool {
	return s.First != "" && slices.ContainsFunc(all, func(o Session) bool {
		return o.Tree == s.Tree && o.ID != s.ID && o.Last.After(s.Last) && o.State == Finished && o.First == s.First
	})
}

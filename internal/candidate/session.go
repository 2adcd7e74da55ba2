package candidate

import (
	"github.com/git-resume/git-resume/internal/agents"
	"github.com/git-resume/git-resume/internal/agents/session"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/site"
)

// SessionsIn returns the reader of coding agents' sessions.
func SessionsIn(e *site.Site) session.Reader {
	return session.Reader{
		Place: agents.Place{Home: e.Home, Getenv: e.Getenv}, Procs: e.Procs, Now: e.Now,
		Book: session.Book{Folder: e.Store.Folder(), Keys: e.Store.Keys()},
	}
}

// driverFate says whether the process that reports on a run is alive. A session of a coding agent can be alive although the process that
// was recorded is gone, and Codex has a process that outlives its sessions.
func driverFate(s *Summary) proc.Fate {
	d, k := s.Run.Driver, s.Session
	switch {
	case k == nil || d == nil || d.Session != k.ID || d.Agent != k.Agent:
		return s.Life.Driver
	case k.Fate == proc.Alive, k.Agent == "codex" && k.Fate == proc.Dead, s.Life.Driver == proc.Unknown:
		return k.Fate
	}
	return s.Life.Driver
}

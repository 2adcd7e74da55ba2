package session

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/agents"
	"github.com/git-resume/git-resume/internal/flock"
	"github.com/git-resume/git-resume/internal/proc"
)

// Fate says whether a session is alive. It looks at the files of the agent and at the process that the session reported. The process of
// Codex may be a daemon that outlives its sessions. So for Codex, the process counts only if the files do not give the answer.
func (x Reader) Fate(rec Record) proc.Fate {
	if !agents.IsSession(rec.Session) {
		return proc.Unknown
	}
	own := x.ownFate(rec)
	if rec.Actor == nil || rec.Agent == "codex" && own != proc.Unknown {
		return own // no process is known, or it may be Codex's daemon, which outlives the session
	}
	process := x.Procs.FateOf(proc.Host{Name: rec.Actor.Host, Boot: rec.Actor.Boot, NS: rec.Actor.NS}, rec.Actor.PID, rec.Actor.Start)
	switch {
	case own == proc.Alive || process == proc.Alive:
		return proc.Alive
	case process == proc.Unknown:
		return own
	}
	return process
}

// ownFate reads files in which some agents record which of their sessions are alive. The result is Unknown for the other agents, and if the
// files do not show whether the session is alive.
func (x Reader) ownFate(rec Record) proc.Fate {
	root := x.root(rec)
	switch rec.Agent {
	case "codex":
		path := filepath.Join(root, "thread-writer-locks", rec.Session+".lock")
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
			return proc.Unknown
		}
		if flock.Held(path) {
			return proc.Alive
		}
		return proc.Dead
	case "claude":
		return x.claudeFate(root, rec)
	case "copilot":
		return x.copilotFate(filepath.Join(root, "session-state", rec.Session), rec)
	}
	return proc.Unknown
}

// maxSessionFiles is the largest number of entries of an agent's folder that are looked at.
const maxSessionFiles = 400

// claudeFate looks for a file of Claude Code that names the session, and says whether the process that the file names is alive. The result
// is Unknown if no file names the session, or if nothing is known about the process.
func (x Reader) claudeFate(root string, rec Record) proc.Fate {
	dir := filepath.Join(root, "sessions")
	entries, _ := os.ReadDir(dir)
	fate := proc.Unknown
	for _, e := range entries[:min(len(entries), maxSessionFiles)] {
		var s struct {
			PID     int    `json:"pid"`
			Session string `json:"sessionId"`
		}
		text, err := gitstate.ReadUpTo(filepath.Join(dir, e.Name()), 64<<10)
		if err != nil || json.Unmarshal(text, &s) != nil || s.Session != rec.Session {
			continue
		}
		if fate = x.pidFate(s.PID, rec); fate == proc.Alive {
			return fate
		}
	}
	return fate
}

// copilotFate looks for files of Copilot CLI whose names say which processes have the session open, and says whether one of them is alive.
// The result is Unknown if there are no such files, or if nothing is known about the processes.
func (x Reader) copilotFate(dir string, rec Record) proc.Fate {
	entries, _ := os.ReadDir(dir)
	fate := proc.Unknown
	for _, e := range entries[:min(len(entries), maxSessionFiles)] {
		name, ok := strings.CutPrefix(e.Name(), "inuse.")
		pid, err := strconv.Atoi(strings.TrimSuffix(name, ".lock"))
		if !ok || err != nil {
			continue
		}
		if fate = x.pidFate(pid, rec); fate == proc.Alive {
			return fate
		}
	}
	return fate
}

// pidFate says whether an agent's process is alive. The agent stored the process id, but another process may have got that id later. So the
// process with this id counts as alive only if its command line names the agent, or if it is the process that the session reported.
func (x Reader) pidFate(pid int, rec Record) proc.Fate {
	here := x.Procs.Host()
	if pid <= 1 || rec.Actor == nil || rec.Actor.Host != here.Name || rec.Actor.Boot != here.Boot || rec.Actor.NS != here.NS || here.Boot == "" {
		return proc.Unknown
	}
	p, ok := x.Procs.Get(pid)
	switch {
	case !ok:
		return x.Procs.FateOf(here, pid, "none")
	case rec.Actor.PID == pid && rec.Actor.Start == p.Start, runs(p, rec.Agent):
		return proc.Alive
	}
	return proc.Unknown
}

// runs reports whether a process looks like an agent: one of its first three arguments contains the agent's name.
func runs(p proc.Process, agent string) bool {
	return slices.ContainsFunc(p.Args[:min(len(p.Args), 3)], func(arg string) bool { return strings.Contains(strings.ToLower(arg), agent) })
}

// IsDaemon reports whether a process is Codex's server, which serves many sessions and outlives them.
func IsDaemon(p proc.Process) bool {
	return runs(p, "codex") && slices.Contains(p.Args, "app-server")
}

// SameSession reports whether two actors belong to the same session of the same agent in the same clone.
func SameSession(a, b *checkpoint.Actor) bool {
	return a != nil && b != nil && a.Session != "" && a.Session == b.Session && a.Agent == b.Agent && a.Clone == b.Clone
}

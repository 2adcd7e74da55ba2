package checkpoint

import (
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/internal/proc"
)

// Actor identifies the process or the agent's session that works on a run. With it, the program can later check whether the process is
// still alive.
type Actor struct {
	Host    string `json:"host,omitempty"`
	Boot    string `json:"boot,omitempty"`
	NS      string `json:"ns,omitempty"`
	PID     int    `json:"pid,omitempty"`
	Start   string `json:"start,omitempty"`
	Command string `json:"command,omitempty"`
	// Agent is the name of the coding agent, and Session is the id of its session. Both are empty without a coding agent.
	Agent   string `json:"agent,omitempty"`
	Session string `json:"session,omitempty"`
	Nonce   string `json:"nonce,omitempty"`
	// Shell is true if the process is a shell at a terminal. Such a shell stays alive after its commands, so it does not
	// prove that work is still in progress.
	Shell bool `json:"shell,omitempty"`
	// Clone is the id of the clone in which the process works.
	Clone string `json:"clone,omitempty"`
}

// Caller says who asked for a change: a user, or a coding agent in one of its sessions. Unlike Actor, it names no process.
type Caller struct {
	User    string `json:"user,omitempty"`
	Host    string `json:"host,omitempty"`
	Agent   string `json:"agent,omitempty"`
	Session string `json:"session,omitempty"`
}

// maxCommand limits the length of the recorded program name, which only helps people to recognize a process.
const maxCommand = 200

// NewActor describes a process of this machine. Of its command line only the program's name is kept: arguments can contain secrets, and
// the record can be pushed to other machines.
func NewActor(h proc.Host, p proc.Process, clone string) *Actor {
	command := ""
	if len(p.Args) > 0 {
		command = clean(filepath.Base(p.Args[0]))
	}
	if len(command) > maxCommand {
		command = strings.ToValidUTF8(command[:maxCommand], "") + "…"
	}
	return &Actor{Host: h.Name, Boot: h.Boot, NS: h.NS, PID: p.PID, Start: p.Start,
		Command: command, Clone: clone, Shell: proc.IsTerminalShell(p.Args)}
}

// clean replaces each control character in a program name with a space, and invalid UTF-8 with "?".
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

// Same reports whether both actors are the same process or, if no process was recorded, the same session on the same machine. A nil actor
// is never the same.
func (a *Actor) Same(b *Actor) bool {
	return a != nil && b != nil && a.PID == b.PID && a.Start == b.Start && a.Boot == b.Boot && a.NS == b.NS && a.Host == b.Host &&
		(a.PID != 0 || a.Session == b.Session)
}

// Fate says whether the process is alive. It returns Unknown if a is nil, if the process was recorded in another clone, or if it cannot be
// checked from this machine.
func (a *Actor) Fate(t proc.Table, clone string) proc.Fate {
	if a == nil || (a.Clone != clone && a.Clone != "") {
		return proc.Unknown
	}
	return t.FateOf(proc.Host{Name: a.Host, Boot: a.Boot, NS: a.NS}, a.PID, a.Start)
}

package checkpoint

import (
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/internal/proc"
)

// Actor is a process that works on a run, recorded so that its death can be proven later.
type Actor struct {
	Host    string `json:"host,omitempty"`
	Boot    string `json:"boot,omitempty"`
	NS      string `json:"ns,omitempty"`
	PID     int    `json:"pid,omitempty"`
	Start   string `json:"start,omitempty"`
	Command string `json:"command,omitempty"`
	// Agent is the program that Session belongs to, so that the work can be handed back to that program.
	Agent   string `json:"agent,omitempty"`
	Session string `json:"session,omitempty"`
	Nonce   string `json:"nonce,omitempty"`
	// Shell is true for a shell at a terminal. Such a shell outlives the work started from it, so it proves less than a script does.
	Shell bool `json:"shell,omitempty"`
	// Clone is the copy of the repository in which the process works.
	Clone string `json:"clone,omitempty"`
}

// maxCommand limits the length of the recorded program name, which only helps people to recognise a process.
const maxCommand = 200

// NewActor describes a process of this machine. It records only the program's name, not the arguments of its command line:
// arguments can hold secrets, and the record can be pushed to other machines.
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

// clean turns a command line into one line of plain text.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

// Same reports whether both actors are the same process.
func (a *Actor) Same(b *Actor) bool {
	return a != nil && b != nil && a.PID == b.PID && a.Start == b.Start && a.Boot == b.Boot && a.NS == b.NS && a.Host == b.Host
}

// Fate says whether the process is alive, as far as this machine and clone can see.
// An actor recorded in another clone proves nothing here: its processes are not ours to judge.
func (a *Actor) Fate(t proc.Table, clone string) proc.Fate {
	if a == nil || (a.Clone != clone && a.Clone != "") {
		return proc.Unknown
	}
	return t.FateOf(proc.Host{Name: a.Host, Boot: a.Boot, NS: a.NS}, a.PID, a.Start)
}

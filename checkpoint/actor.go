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
	// Agent is the program whose session Session names, for a hand-off back to it.
	Agent   string `json:"agent,omitempty"`
	Session string `json:"session,omitempty"`
	Nonce   string `json:"nonce,omitempty"`
	// Shell: a shell at a terminal. It outlives the work below it, so that it proves less than a script does.
	Shell bool `json:"shell,omitempty"`
	// Clone is the copy of the repository in which it works.
	Clone string `json:"clone,omitempty"`
}

// maxCommand bounds the recorded name of a program; it only helps people to recognise a process.
const maxCommand = 200

// NewActor describes a process of this machine. Of its command line only the program's own name is recorded:
// arguments hold secrets, and the record travels.
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

// clean keeps a command line to one line of plain text.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

// Same reports whether both name one and the same process.
func (a *Actor) Same(b *Actor) bool {
	return a != nil && b != nil && a.PID == b.PID && a.Start == b.Start && a.Boot == b.Boot && a.NS == b.NS && a.Host == b.Host
}

// Fate tells whether the process lives, as far as can be seen from this machine and clone.
// A claim of another clone proves nothing here: its processes are somebody else's.
func (a *Actor) Fate(t proc.Table, clone string) proc.Fate {
	if a == nil || (a.Clone != clone && a.Clone != "") {
		return proc.Unknown
	}
	return t.FateOf(proc.Host{Name: a.Host, Boot: a.Boot, NS: a.NS}, a.PID, a.Start)
}

package proc

import (
	"os"
	"os/exec"
	"syscall"
)

func setGroup(*exec.Cmd, *os.File) {}

func setApart(*exec.Cmd) {}

// inherit does nothing: a lock on Windows belongs to the process that took it, and a command with more files than the three standard ones
// is not even started.
func inherit(*exec.Cmd, []*os.File) {}

func reclaimTerminal(*os.File, int) {}

// groupIsThere is always true, because Windows has no process groups. The function members looks for the descendants of the first process
// instead.
func groupIsThere(int) bool { return true }

// Foreground is always false on Windows.
func Foreground(*os.File) bool { return false }

func (g *Group) mindStops(<-chan struct{}) {}

// SignalGroup does nothing on Windows.
func SignalGroup(os.Signal) {}

// signalGroup ends only the process p, not a group, for SIGKILL and SIGTERM. It ignores other signals.
func signalGroup(p *os.Process, sig syscall.Signal) {
	if sig == syscall.SIGKILL || sig == syscall.SIGTERM {
		_ = p.Kill()
	}
}

// sessionLeader is always 0 on Windows.
func sessionLeader() int { return 0 }

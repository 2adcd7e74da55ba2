package proc

import (
	"os"
	"os/exec"
	"syscall"
)

func setGroup(*exec.Cmd, *os.File) {}

func setApart(*exec.Cmd) {}

func reclaimTerminal(*os.File, int) {}

func groupIsThere(int) bool { return false }

// Foreground is always false, because Windows consoles have no process groups.
func Foreground(*os.File) bool { return false }

func (g *Group) mindStops(<-chan struct{}) {}

// SignalGroup does nothing on Windows.
func SignalGroup(os.Signal) {}

// signalGroup ends the process itself for SIGKILL and SIGTERM, and ignores other signals, because Windows has no process groups.
func signalGroup(p *os.Process, sig syscall.Signal) {
	if sig == syscall.SIGKILL || sig == syscall.SIGTERM {
		_ = p.Kill()
	}
}

// sessionLeader is always 0: a console has no leader.
func sessionLeader() int { return 0 }

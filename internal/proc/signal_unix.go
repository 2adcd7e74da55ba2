//go:build unix

package proc

import (
	"os"
	"syscall"
)

// signalOf returns the name of the signal that ended a process, or "" if the process was not ended by a signal.
func signalOf(state *os.ProcessState) string {
	ws, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !ws.Signaled() {
		return ""
	}
	return "signal " + ws.Signal().String()
}

// askToEnd sends SIGTERM, so that a child can clean up. git, for example, removes its lock files at SIGTERM but not at SIGKILL.
func askToEnd(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

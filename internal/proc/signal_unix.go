//go:build unix

package proc

import (
	"os"
	"syscall"
)

// signalOf names the signal that ended a process; it is empty if none did.
func signalOf(state *os.ProcessState) string {
	ws, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !ws.Signaled() {
		return ""
	}
	return "signal " + ws.Signal().String()
}

// askToEnd lets a child clean up: git removes its lock files when it is terminated, but not when it is killed.
func askToEnd(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

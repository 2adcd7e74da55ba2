//go:build unix

package proc

import (
	"os"
	"syscall"
)

// signalOf names the signal that ended a process, or is empty.
func signalOf(state *os.ProcessState) string {
	ws, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !ws.Signaled() {
		return ""
	}
	return "signal " + ws.Signal().String()
}

package proc

import "golang.org/x/sys/unix"

// isStopped reports whether the command was stopped; it consumes that report, but leaves the report of its end to Wait.
func (g *Group) isStopped() bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, g.ID(), &info, unix.WSTOPPED|unix.WNOHANG, nil)
	return err == nil && info.Signo == int32(unix.SIGCHLD)
}

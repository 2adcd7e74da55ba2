package proc

import "golang.org/x/sys/unix"

// isStopped reports whether the command was stopped. It does not consume the notice about the command's end, which Wait needs.
func (g *Group) isStopped() bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, g.ID(), &info, unix.WSTOPPED|unix.WNOHANG, nil)
	return err == nil && info.Signo == int32(unix.SIGCHLD)
}

package proc

import "golang.org/x/sys/unix"

// isStopped reports whether the command was stopped, for example by Ctrl-Z.
// It does not reap the command, because Wait must still get its exit status.
func (g *Group) isStopped() bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, g.ID(), &info, unix.WSTOPPED|unix.WNOHANG, nil)
	return err == nil && info.Signo == int32(unix.SIGCHLD)
}

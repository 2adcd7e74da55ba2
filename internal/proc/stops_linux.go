package proc

import "golang.org/x/sys/unix"

// isStopped takes the news that the command was stopped, and leaves the news of its end to Wait.
func (g *Group) isStopped() bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, g.ID(), &info, unix.WSTOPPED|unix.WNOHANG, nil)
	return err == nil && info.Signo == int32(unix.SIGCHLD)
}

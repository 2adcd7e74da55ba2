//go:build unix

package proc

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// setGroup gives the command a process group, and the terminal if there is one to give:
// a group in the background would be stopped as soon as it read from it.
func setGroup(cmd *exec.Cmd, tty *os.File) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if tty != nil {
		cmd.SysProcAttr.Foreground, cmd.SysProcAttr.Ctty = true, int(tty.Fd())
	}
}

// setApart takes the terminal away altogether: what is in the background of one and asks it would wait for ever.
func setApart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// Foreground reports whether we are who the terminal's keys go to.
// In the background ("&") we have no terminal to give away.
func Foreground(tty *os.File) bool { return foreground(tty) == unix.Getpgrp() }

func foreground(tty *os.File) int {
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	if err != nil {
		return 0
	}
	return group
}

// takeBack makes us the terminal's foreground again, if the group still is.
func takeBack(tty *os.File, group int) {
	if tty != nil && foreground(tty) == group {
		give(tty, unix.Getpgrp())
	}
}

// give changes the terminal's foreground; asking for that from the background would stop us.
func give(tty *os.File, group int) {
	signal.Ignore(syscall.SIGTTOU)
	defer signal.Reset(syscall.SIGTTOU)
	_ = unix.IoctlSetPointerInt(int(tty.Fd()), unix.TIOCSPGRP, group)
}

// mindStops passes Ctrl-Z on: the key stops the command's group only,
// and a shell that does not see us stop would never give its prompt.
func (g *Group) mindStops(ended <-chan struct{}) {
	if g.tty == nil {
		return
	}
	children := make(chan os.Signal, 1)
	signal.Notify(children, syscall.SIGCHLD)
	defer signal.Stop(children)
	for {
		select {
		case <-ended:
			return
		case <-children:
			if g.isStopped() {
				g.stopToo()
			}
		}
	}
}

// stopToo stops us beside the command and, when we go on, lets it go on with the terminal.
// A command that was stopped because it had no terminal gets it.
func (g *Group) stopToo() {
	if foreground(g.tty) == g.ID() {
		takeBack(g.tty, g.ID())
		_ = syscall.Kill(0, syscall.SIGTSTP) // returns when we are continued
	}
	if Foreground(g.tty) {
		give(g.tty, g.ID())
	}
	signalGroup(g.cmd.Process, syscall.SIGCONT)
}

func groupIsThere(group int) bool { return syscall.Kill(-group, 0) == nil }

// SignalGroup sends a signal to our own group, ourselves included, with its usual effect.
func SignalGroup(s os.Signal) {
	if sig, ok := s.(syscall.Signal); ok {
		signal.Reset(sig)
		_ = syscall.Kill(0, sig)
	}
}

func signalGroup(p *os.Process, sig syscall.Signal) { _ = syscall.Kill(-p.Pid, sig) }

//go:build unix

package proc

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// setGroup gives the command its own process group, and the terminal if there is one:
// a group in the background would be stopped as soon as it read from the terminal.
func setGroup(cmd *exec.Cmd, tty *os.File) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if tty != nil {
		cmd.SysProcAttr.Foreground, cmd.SysProcAttr.Ctty = true, int(tty.Fd())
	}
}

// setApart takes the terminal away from the command: a background process that asks the terminal would wait for ever.
func setApart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// Foreground reports whether the terminal's keys go to our group.
// In the background ("&") we have no terminal to give to a command.
func Foreground(tty *os.File) bool { return foreground(tty) == unix.Getpgrp() }

func foreground(tty *os.File) int {
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	if err != nil {
		return 0
	}
	return group
}

// takeBack makes us the terminal's foreground group again, if the given group still is.
func takeBack(tty *os.File, group int) {
	if tty != nil && foreground(tty) == group {
		give(tty, unix.Getpgrp())
	}
}

// give changes the terminal's foreground group; it ignores SIGTTOU, which would stop us if we are in the background.
func give(tty *os.File, group int) {
	signal.Ignore(syscall.SIGTTOU)
	defer signal.Reset(syscall.SIGTTOU)
	_ = unix.IoctlSetPointerInt(int(tty.Fd()), unix.TIOCSPGRP, group)
}

// mindStops reacts to Ctrl-Z: the key stops only the command's group,
// and a shell that does not see us stop too would never show its prompt.
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

// stopToo stops us together with the command; when we are continued, it lets the command continue with the terminal.
// A command that was stopped because it had no terminal gets the terminal.
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

// SignalGroup sends a signal to our own group, including ourselves, with its default effect.
func SignalGroup(s os.Signal) {
	if sig, ok := s.(syscall.Signal); ok {
		signal.Reset(sig)
		_ = syscall.Kill(0, sig)
	}
}

func signalGroup(p *os.Process, sig syscall.Signal) { _ = syscall.Kill(-p.Pid, sig) }

//go:build unix

package proc

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// setGroup gives the command its own process group. If there is a terminal, it also makes that group the terminal's
// foreground group, because a background group is stopped when it reads from the terminal.
func setGroup(cmd *exec.Cmd, tty *os.File) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if tty != nil {
		cmd.SysProcAttr.Foreground, cmd.SysProcAttr.Ctty = true, int(tty.Fd())
	}
}

// setApart runs the command without a terminal. A background process that asked a question on the terminal would wait forever.
func setApart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// inherit lets the command keep the files open, and with them our locks on these files.
func inherit(cmd *exec.Cmd, files []*os.File) { cmd.ExtraFiles = files }

// Foreground reports whether our process group is the terminal's foreground group. If we run in the background ("&"),
// we have no terminal that we could give to a command.
func Foreground(tty *os.File) bool { return foreground(tty) == unix.Getpgrp() }

func foreground(tty *os.File) int {
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	if err != nil {
		return 0
	}
	return group
}

// reclaimTerminal makes our group the terminal's foreground group again, but only if the given group is in the foreground now.
func reclaimTerminal(tty *os.File, group int) {
	if tty != nil && foreground(tty) == group {
		setForeground(tty, unix.Getpgrp())
	}
}

// setForeground changes the terminal's foreground group. It ignores SIGTTOU, because that signal would stop us if we are in the background.
func setForeground(tty *os.File, group int) {
	signal.Ignore(syscall.SIGTTOU)
	defer signal.Reset(syscall.SIGTTOU)
	_ = unix.IoctlSetPointerInt(int(tty.Fd()), unix.TIOCSPGRP, group)
}

// mindStops watches for Ctrl-Z, which stops only the command's group. We must stop too: the user's shell shows its
// prompt only after it has seen us stop.
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
				g.stopWithCommand()
			}
		}
	}
}

// stopWithCommand is called after the command was stopped. If the command had the terminal, as with Ctrl-Z, our process stops too until the
// shell continues it. Then the command continues, and gets the terminal if we are in the foreground.
func (g *Group) stopWithCommand() {
	if foreground(g.tty) == g.ID() {
		reclaimTerminal(g.tty, g.ID())
		_ = syscall.Kill(0, syscall.SIGTSTP) // returns when our process is continued
	}
	if Foreground(g.tty) {
		setForeground(g.tty, g.ID())
	}
	signalGroup(g.cmd.Process, syscall.SIGCONT)
}

func groupIsThere(group int) bool { return syscall.Kill(-group, 0) == nil }

// SignalGroup sends a signal to our own process group. It first restores the default effect of the signal in our own process.
func SignalGroup(s os.Signal) {
	if sig, ok := s.(syscall.Signal); ok {
		signal.Reset(sig)
		_ = syscall.Kill(0, sig)
	}
}

func signalGroup(p *os.Process, sig syscall.Signal) { _ = syscall.Kill(-p.Pid, sig) }

// sessionLeader is the id of the process that leads our session; 0 if that process cannot be seen from here.
func sessionLeader() int {
	id, err := unix.Getsid(0)
	if err != nil {
		return 0
	}
	return id
}

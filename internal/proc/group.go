package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
)

// Group is a command that runs in its own process group, so that all processes of that group can be ended together. On Windows, only the
// command itself can be ended.
type Group struct {
	cmd  *exec.Cmd
	name string
	tty  *os.File
}

// Ended describes how a command ended: with an exit code, or by a signal.
type Ended struct {
	Code   int
	Signal string
}

// StartGroup starts the command in its own process group. Its output goes to Stdout and Stderr while the command runs.
// Its input comes from Stdin, or is empty.
func (c Command) StartGroup() (*Group, error) {
	cmd := c.build(context.Background())
	cmd.Cancel = nil // no context ends this command; callers can end it with the methods of Group
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Stdin, c.Stdout, c.Stderr
	if cmd.Stderr == nil {
		cmd.Stderr = io.Discard
	}
	setGroup(cmd, c.TTY)
	var hold gate
	if c.Hold != nil {
		if err := hold.close(cmd); err != nil {
			return nil, fmt.Errorf("start %s: %w", c.Name, err)
		}
	}
	if err := cmd.Start(); err != nil {
		hold.abandon()
		return nil, fmt.Errorf("start %s: %w", c.Name, err)
	}
	if c.Hold != nil {
		c.Hold(cmd.Process.Pid)
		hold.open()
	}
	return &Group{cmd: cmd, name: c.Name, tty: c.TTY}, nil
}

// ID returns the id of the group, which is also the id of its first process.
func (g *Group) ID() int { return g.cmd.Process.Pid }

// Wait waits until the command itself has ended and its output has been read. If other processes still hold the output open then, it waits
// for them only as long as waitDelay says.
func (g *Group) Wait() (Ended, error) {
	ended := make(chan struct{})
	go g.mindStops(ended)
	err := g.cmd.Wait()
	close(ended)
	reclaimTerminal(g.tty, g.ID())
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && g.cmd.ProcessState == nil {
		return Ended{}, fmt.Errorf("wait for %s: %w", g.name, err)
	}
	state := g.cmd.ProcessState
	return Ended{Code: state.ExitCode(), Signal: signalOf(state)}, nil
}

// Interrupt sends SIGINT, the signal of Ctrl-C, to the whole group. On Windows it does nothing.
func (g *Group) Interrupt() { signalGroup(g.cmd.Process, syscall.SIGINT) }

// Hangup sends SIGHUP, the signal for a closed terminal, to the whole group. On Windows it does nothing.
func (g *Group) Hangup() { signalGroup(g.cmd.Process, syscall.SIGHUP) }

// Terminate sends SIGTERM to the whole group. On Windows it ends only the command itself.
func (g *Group) Terminate() { signalGroup(g.cmd.Process, syscall.SIGTERM) }

// Kill ends the whole group at once. On Windows it ends only the command itself.
func (g *Group) Kill() { signalGroup(g.cmd.Process, syscall.SIGKILL) }

// Shell returns the program and the arguments that run a command line in the shell.
func Shell(text string) (name string, args []string) {
	return "sh", []string{"-c", text}
}

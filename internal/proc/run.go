// Package proc starts child processes and examines running processes.
//
// It is the only package that imports os/exec. It knows nothing about git or runs,
// it prints nothing, and it does not read its own environment:
// the caller gives each child its environment.
package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Command describes one child process.
// Env is the child's whole environment; nil means an empty one. Its PATH is searched for Name.
type Command struct {
	Name  string
	Args  []string
	Dir   string
	Env   []string
	Stdin io.Reader
	// Stdout and Stderr, if set, receive the stream instead of Output.
	Stdout io.Writer
	Stderr io.Writer
	// TTY is a terminal that a group gets while it runs.
	TTY *os.File
	// Apart gives the child a session of its own, so that keys typed at the terminal do not reach it.
	// When the context of Run ends, all processes of that session end too.
	Apart bool
	// Files are inherited by the child, from descriptor 3 upwards.
	Files []*os.File
	// Patience is for a child that does not end. Run returns an error at the limit; after Start the caller must watch the limit.
	Patience Patience
	// Started, if set, is called by Run as soon as the child is running.
	Started func(pid int)
}

// Output is what a finished child wrote.
type Output struct {
	Stdout []byte
	Stderr []byte
}

// ExitError says that a child ran and ended with a code other than 0.
type ExitError struct {
	Name   string
	Args   []string
	Code   int
	Signal string
	Stderr string
}

func (e *ExitError) Error() string {
	how := fmt.Sprintf("exit code %d", e.Code)
	if e.Signal != "" {
		how = e.Signal
	}
	text := strings.TrimSpace(e.Stderr)
	if text == "" {
		return fmt.Sprintf("%s: %s", e.Name, how)
	}
	return fmt.Sprintf("%s: %s: %s", e.Name, how, text)
}

// waitDelay limits how long we wait for the pipes of a cancelled child,
// because a grandchild may hold them open for ever.
const waitDelay = 2 * time.Second

// Run starts the child, waits for it and returns what it wrote.
// If the code is not 0, it returns an *ExitError together with the output.
func (c Command) Run(ctx context.Context) (Output, error) {
	var out, errOut bytes.Buffer
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	cmd := c.build(ctx)
	cmd.Stdin = c.Stdin
	cmd.Stdout, cmd.Stderr = io.Writer(&out), io.Writer(&errOut)
	if c.Stdout != nil {
		cmd.Stdout = c.Stdout
	}
	if c.Stderr != nil {
		cmd.Stderr = c.Stderr
	}
	err := cmd.Start()
	if err == nil {
		pid := cmd.Process.Pid
		if c.Started != nil {
			c.Started(pid)
		}
		stop := c.Patience.Watch(pid, func() {
			giveUp(&LimitError{Name: c.Name, Args: c.Args, PID: pid, Limit: c.Patience.Limit})
		})
		err = cmd.Wait()
		stop()
	}
	if c.Apart && ctx.Err() != nil && cmd.Process != nil {
		signalGroup(cmd.Process, syscall.SIGKILL) // they were asked to end, and had their time
	}
	res := Output{Stdout: out.Bytes(), Stderr: errOut.Bytes()}
	return res, c.explain(ctx, err, errOut.String())
}

func (c Command) build(ctx context.Context) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.program(), c.Args...)
	cmd.Args[0] = c.Name
	cmd.Dir = c.Dir
	cmd.Env = c.Env
	if cmd.Env == nil {
		cmd.Env = []string{}
	}
	cmd.ExtraFiles = c.Files
	if c.Apart {
		setApart(cmd)
	}
	cmd.Cancel = func() error { return askToEnd(cmd.Process) }
	if c.Apart {
		cmd.Cancel = func() error {
			signalGroup(cmd.Process, syscall.SIGTERM) // the child may not pass the signal on: git leaves its hooks running
			return nil
		}
	}
	cmd.WaitDelay = waitDelay
	return cmd
}

func (c Command) explain(ctx context.Context, err error, stderr string) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("run %s: %w", c.Name, context.Cause(ctx))
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		return nil // the child succeeded; a process that it left in the background holds its output open
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return fmt.Errorf("start %s: %w", c.Name, err)
	}
	return &ExitError{
		Name: c.Name, Args: c.Args, Code: exit.ExitCode(),
		Signal: signalOf(exit.ProcessState), Stderr: stderr,
	}
}

// IsMissing reports whether err says that the program was not found.
func IsMissing(err error) bool {
	return errors.Is(err, exec.ErrNotFound)
}

// Child is a running process that the caller exchanges data with.
type Child struct {
	In  io.WriteCloser
	Out io.Reader

	cmd    *exec.Cmd
	stderr *bytes.Buffer
}

// Start starts a child whose input and output the caller holds.
// The caller ends it with Close.
func (c Command) Start(ctx context.Context) (*Child, error) {
	cmd := c.build(ctx)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Name, err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Name, err)
	}
	child := &Child{In: in, Out: out, cmd: cmd, stderr: &bytes.Buffer{}}
	cmd.Stderr = child.stderr
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Name, err)
	}
	return child, nil
}

// PID returns the child's process id.
func (c *Child) PID() int { return c.cmd.Process.Pid }

// Close ends the child's input and waits for it.
func (c *Child) Close() error {
	_ = c.In.Close()
	_, _ = io.Copy(io.Discard, c.Out)
	err := c.cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return &ExitError{Name: c.cmd.Path, Code: exit.ExitCode(), Signal: signalOf(exit.ProcessState), Stderr: c.stderr.String()}
	}
	return err
}

// Signal kills the child without waiting, for a caller that already waits for its output or its end.
func (c *Child) Signal() { _ = c.cmd.Process.Kill() }

// Kill ends the child at once and waits for its end.
func (c *Child) Kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}

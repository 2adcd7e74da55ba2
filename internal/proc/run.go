// Package proc starts child processes and examines running processes. It prints nothing. It does not read its own environment: the caller
// passes the environment for each child.
package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Command describes one child process. Env is the child's whole environment; nil means an empty environment. The program called Name is
// looked up in the folders of the PATH in Env. On Windows, the package os/exec looks it up, in the PATH of our own process.
type Command struct {
	Name  string
	Args  []string
	Dir   string
	Env   []string
	Stdin io.Reader
	// Stdout and Stderr, if they are set, receive the child's output. The result of Run then does not contain that output.
	Stdout io.Writer
	Stderr io.Writer
	// TTY is the terminal that the process group of StartGroup gets while it runs.
	TTY *os.File
	// The field Apart gives the child its own session, so that keys typed at the terminal do not reach it. When the context of Run ends,
	// the child's whole process group ends too.
	Apart bool
	// Files lists open files that the child inherits, from descriptor 3 upwards. On Windows it inherits none of them.
	Files []*os.File
	// Patience applies to a child that does not end. Run ends the child at the limit and returns an error. Start and StartGroup ignore
	// Patience, so their callers must enforce the limit.
	Patience Patience
	// Hold, if set, is called by StartGroup with the child's process id before the child becomes its program. If we die before Hold
	// returns, the program never starts. On Windows, the program may start before Hold is called.
	Hold func(pid int)
	// Started, if set, is called by Run as soon as the child is running.
	Started func(pid int)
}

// Output holds what a finished child wrote.
type Output struct {
	Stdout []byte
	Stderr []byte
}

// ExitError says that a child ended with an exit code other than 0, or by a signal.
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

// waitDelay limits how long we wait for the pipes of a child that has ended or was cancelled, because a grandchild may hold the pipes
// open forever. A cancelled child that still runs after this time is killed.
const waitDelay = 2 * time.Second

// Run starts the child, waits for it and returns what it wrote.
// If the exit code is not 0, Run returns an *ExitError together with the output. If the context ended or the time limit passed, the error
// says so instead.
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
		signalGroup(cmd.Process, syscall.SIGKILL) // end the processes of the group that ignored SIGTERM
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
	inherit(cmd, c.Files)
	if c.Apart {
		setApart(cmd)
	}
	cmd.Cancel = func() error { return askToEnd(cmd.Process) }
	if c.Apart {
		cmd.Cancel = func() error {
			signalGroup(cmd.Process, syscall.SIGTERM) // signal the whole group, because git, for example, does not pass the signal on to its hooks
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
		return nil // the child succeeded, but a background process that it started still holds its output open
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

// IsInstalled reports whether the program was found: its name is an absolute path, or the child's PATH has it. On Windows, PATH is not
// searched here, so the result is false for a name without a path.
func (c Command) IsInstalled() bool { return filepath.IsAbs(c.program()) }

// Path returns where the program is. It returns the name itself if the program is not found, and always on Windows.
func (c Command) Path() string { return c.program() }

// IsMissing reports whether err says that the program was not found in PATH.
func IsMissing(err error) bool {
	return errors.Is(err, exec.ErrNotFound)
}

// Child is a running process with which the caller exchanges data.
type Child struct {
	In  io.WriteCloser
	Out io.Reader

	cmd    *exec.Cmd
	stderr *bytes.Buffer
}

// Start starts a child and connects its input and output to the caller. The caller must end the child with Close or Kill.
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

// Close ends the child's input, discards the rest of its output, and waits until the child has ended. It returns an *ExitError if the child
// failed.
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

// Signal kills the child without waiting. It is for a caller that is already waiting for the child.
func (c *Child) Signal() { _ = c.cmd.Process.Kill() }

// Kill ends the child at once and waits for its end.
func (c *Child) Kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}

package process

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/git-resume/git-resume/internal/proc"
)

// Talk is a git process that keeps running and answers one question after another.
type Talk struct {
	// The mutex is held from the question until its answer is read.
	sync.Mutex
	// Name is git's command. Args are all arguments with which the process was started.
	Name string
	Args []string
	// Questions are written to In, and answers are read from Out.
	In  io.Writer
	Out *bufio.Reader
	// Exit is set if the process failed.
	Exit  *proc.ExitError
	child *proc.Child
	ended atomic.Bool
	// patience says how long one answer may take; gaveUp is set when an answer took longer. If eachRead is true, this limit applies to each
	// read from Out.
	patience proc.Patience
	gaveUp   atomic.Bool
	eachRead bool
}

// ErrEnded reports that a git process has ended, usually although it should have kept running.
var ErrEnded = errors.New("git ended")

// ErrKilled reports that a signal ended git. It does not mean that an object is damaged.
var ErrKilled = errors.New("git was killed")

// startResident starts a command that keeps running. The process outlives the call that needed it first, so the deadline of that call must
// not end it.
func (r *Program) startResident(ctx context.Context, c Call, files ...*os.File) (*Talk, error) {
	cmd := r.Command(c)
	cmd.Files = files
	child, err := cmd.Start(context.WithoutCancel(ctx))
	if err != nil {
		return nil, fmt.Errorf("start git %s: %w", c.Args[0], err)
	}
	t := &Talk{Name: (&Error{Args: c.Args}).Command(), Args: c.Args, child: child, In: child.In, patience: r.patienceWith(c)}
	t.Out = bufio.NewReaderSize(output{t}, 64<<10)
	return t, nil
}

type output struct{ talk *Talk }

func (o output) Read(p []byte) (int, error) {
	if o.talk.eachRead {
		defer o.talk.Await()()
	}
	return o.talk.child.Out.Read(p)
}

// AwaitReads limits the time that git may take for each piece of its output. The limit applies until the caller calls the returned
// function. If there are many small answers, this costs less than a call of Await for each. The caller must hold the mutex.
func (t *Talk) AwaitReads() (stop func()) {
	t.eachRead = true
	return func() { t.eachRead = false }
}

// Stream starts a command whose output is read only as far as the caller needs it. The caller must end it with Stop, or with End after it
// has read everything.
func (r *Program) Stream(ctx context.Context, c Call) (*Talk, error) { return r.startResident(ctx, c) }

// Await limits the time that git may take for one answer. If the process only reads and has a limit, git is killed when the limit is
// over. The caller calls the returned function when the answer has come.
func (t *Talk) Await() (stop func()) {
	return t.patience.Watch(t.PID(), func() {
		t.gaveUp.Store(true)
		t.child.Signal()
	})
}

func (t *Talk) Say(text string) error {
	if _, err := io.WriteString(t.In, text); err != nil {
		return t.End(err)
	}
	return nil
}

// Finish asks the last question and ends the input. It returns everything that the process prints, and an error if the process failed.
// When the context ends, the process is killed.
func (t *Talk) Finish(ctx context.Context, text string) ([]byte, error) {
	defer t.Await()()
	defer context.AfterFunc(ctx, t.child.Signal)()
	_, _ = io.WriteString(t.In, text) // ignore an error: if the process has ended already, its exit code says why
	_ = t.child.In.Close()
	out, err := io.ReadAll(t.Out)
	if why := t.End(err); err != nil || t.Failed() {
		err = why
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("run git %s: %w", t.Name, context.Cause(ctx))
	}
	return out, err
}

// Failed reports whether the process ended with an error or was stopped because it took too long.
func (t *Talk) Failed() bool { return t.Exit != nil || t.gaveUp.Load() }

// End waits for the process to end and returns an error that wraps ErrEnded. The error also has the reason: the time limit, or git's own
// message if git failed, or otherwise the given error.
func (t *Talk) End(err error) error {
	t.ended.Store(true)
	if t.gaveUp.Load() {
		_ = t.child.Close()
		return fmt.Errorf("%w: %w", ErrEnded, &LimitError{Args: t.Args, PID: t.PID(), Limit: t.patience.Limit})
	}
	if errors.As(t.child.Close(), &t.Exit) {
		err = &Error{Args: []string{t.Name}, Code: t.Exit.Code, Text: cleanStderr(t.Exit.Stderr, t.Exit.Signal)}
		if t.Exit.Signal != "" {
			err = fmt.Errorf("%w: %w", ErrKilled, err)
		}
	}
	return fmt.Errorf("%w: %w", ErrEnded, err)
}

// Stop kills the process, even in the middle of an answer.
func (t *Talk) Stop() {
	t.ended.Store(true)
	t.child.Kill()
}

// close ends the process if it is still running.
func (t *Talk) close() {
	if t == nil || t.ended.Load() {
		return
	}
	t.Lock()
	defer t.Unlock()
	if !t.ended.Swap(true) {
		stop := t.Await()
		defer stop()
		_ = t.child.Close()
	}
}

// PID returns the process id.
func (t *Talk) PID() int { return t.child.PID() }

// HasEnded reports whether we have ended the process, or have noticed that it ended. Such a process answers no more questions.
func (t *Talk) HasEnded() bool { return t.ended.Load() }

// Resident is a kind of git process that keeps running.
type Resident int

const (
	// Reader reads objects; Differ compares trees.
	Reader Resident = iota
	Differ
	// Mover and Logger move refs without a message; Logger also creates a reflog for a ref that has none.
	Mover
	Logger
	// Teller moves refs, and writes the same message into the reflog entry of each move.
	Teller
	residentKinds
)

// Resident returns the running process of a kind. It starts a new process if there is none, or if the process has ended, for example
// because of a damaged object. It also does so if the kind is Teller and the running process has other arguments.
func (r *Program) Resident(ctx context.Context, at Resident, c Call, files ...*os.File) (*Talk, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t := r.residents[at]; t != nil && !t.HasEnded() {
		if at != Teller || slices.Equal(t.Args, c.Args) {
			return t, nil
		}
		t.close()
	}
	t, err := r.startResident(ctx, c, files...)
	if err != nil {
		return nil, err
	}
	r.residents[at] = t
	return t, nil
}

func (r *Program) endResidents() {
	r.mu.Lock()
	there := r.residents
	r.residents = [residentKinds]*Talk{}
	r.mu.Unlock()
	for _, t := range there {
		t.close() // r.mu is not held here, because close may wait for a goroutine that needs r.mu
	}
}

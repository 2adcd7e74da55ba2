package process

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"github.com/git-resume/git-resume/internal/proc"
)

// Talk is a git process that stays, and answers one question after another.
type Talk struct {
	// The mutex is held from the question until its answer is read.
	sync.Mutex
	// Name is git's command, and Args are all the arguments with which it was started.
	Name string
	Args []string
	// In takes the questions, Out gives the answers.
	In  io.Writer
	Out *bufio.Reader
	// Exit says how the process ended, if it failed.
	Exit  *proc.ExitError
	child *proc.Child
	ended atomic.Bool
	// patience says how long one answer may take; gaveUp says that an answer took longer.
	patience proc.Patience
	gaveUp   atomic.Bool
}

// ErrEnded says that a process which should have stayed has ended.
var ErrEnded = errors.New("git ended")

// ErrKilled says that somebody killed git while it was reading, which says nothing about the objects that it read.
var ErrKilled = errors.New("git was killed")

// startResident starts a command that stays. The process outlives the call that needed it first,
// so that call's deadline must not end it.
func (r *Program) startResident(ctx context.Context, c Call, files ...*os.File) (*Talk, error) {
	cmd := r.Command(c)
	cmd.Files = files
	child, err := cmd.Start(context.WithoutCancel(ctx))
	if err != nil {
		return nil, fmt.Errorf("start git %s: %w", c.Args[0], err)
	}
	return &Talk{
		Name: (&Error{Args: c.Args}).Command(), Args: c.Args, child: child, In: child.In, Out: bufio.NewReaderSize(child.Out, 64<<10), patience: r.patienceWith(c),
	}, nil
}

// Await watches over one answer until stop is called. A process that only reads is killed at the limit.
func (t *Talk) Await() (stop func()) {
	return t.patience.Watch(t.PID(), func() {
		t.gaveUp.Store(true)
		t.child.Signal()
	})
}

// Say asks a question.
func (t *Talk) Say(text string) error {
	if _, err := io.WriteString(t.In, text); err != nil {
		return t.End(err)
	}
	return nil
}

// End says why the process has ended, in git's own words if it printed any.
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

// Stop kills a process in the middle of its answer.
func (t *Talk) Stop() {
	t.ended.Store(true)
	t.child.Kill()
}

// close ends a process that is still running.
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

// PID is the process id.
func (t *Talk) PID() int { return t.child.PID() }

// HasEnded reports whether the process has ended and answers no more questions.
func (t *Talk) HasEnded() bool { return t.ended.Load() }

// Resident names a kind of process that stays.
type Resident int

const (
	// Reader reads objects, and Differ compares trees.
	Reader Resident = iota
	Differ
	// Mover and Logger move refs; Logger also writes a reflog for each.
	Mover
	Logger
	residentKinds
)

// Resident returns the running process of a kind, and starts it if there is none.
// If git ended, at a damaged object for example, a new process is started, so that all other objects can still be read.
func (r *Program) Resident(ctx context.Context, at Resident, c Call, files ...*os.File) (*Talk, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t := r.residents[at]; t != nil && !t.HasEnded() {
		return t, nil
	}
	t, err := r.startResident(ctx, c, files...)
	if err != nil {
		return nil, err
	}
	r.residents[at] = t
	return t, nil
}

// endResidents ends all processes that stay.
func (r *Program) endResidents() {
	r.mu.Lock()
	there := r.residents
	r.residents = [residentKinds]*Talk{}
	r.mu.Unlock()
	for _, t := range there {
		t.close() // without holding r.mu, because a process that is still answering may need it
	}
}

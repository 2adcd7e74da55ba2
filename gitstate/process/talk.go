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

// Talk is a git process that stays, and answers one question after the other.
type Talk struct {
	// Whoever asks holds it until the answer is read.
	sync.Mutex
	// Name is git's command, and Args are all that it was started with.
	Name string
	Args []string
	// In takes questions, Out has the answers.
	In  io.Writer
	Out *bufio.Reader
	// Exit says how it ended, if not well.
	Exit  *proc.ExitError
	child *proc.Child
	ended atomic.Bool
	// patience is how long one answer may take; gaveUp says that it took longer.
	patience proc.Patience
	gaveUp   atomic.Bool
}

// ErrEnded says that a process which was to stay is gone.
var ErrEnded = errors.New("git ended")

// ErrKilled says that somebody killed git while it read: that tells nothing of what it was reading.
var ErrKilled = errors.New("git was killed")

// begin starts a command that stays. It outlives the call that needed it first,
// so that call's deadline must not end it.
func (r *Program) begin(ctx context.Context, c Call, files ...*os.File) (*Talk, error) {
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

// Await has patience with one answer, until stop is called. One that only reads is killed at the limit.
func (t *Talk) Await() (stop func()) {
	return t.patience.Watch(t.PID(), func() {
		t.gaveUp.Store(true)
		t.child.Signal()
	})
}

// Say puts a question.
func (t *Talk) Say(text string) error {
	if _, err := io.WriteString(t.In, text); err != nil {
		return t.End(err)
	}
	return nil
}

// End says why the process is gone, in git's own words where it left some.
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

// Stop ends a process in the middle of what it says.
func (t *Talk) Stop() {
	t.ended.Store(true)
	t.child.Kill()
}

// close ends a process that is still there.
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

// PID is the number of its process.
func (t *Talk) PID() int { return t.child.PID() }

// HasEnded reports that it answers no more.
func (t *Talk) HasEnded() bool { return t.ended.Load() }

// Stay is the place of a process that stays.
type Stay int

const (
	// Reader reads objects, Differ compares trees.
	Reader Stay = iota
	Differ
	// Mover and Logger move refs, the second with a log of each.
	Mover
	Logger
	allStays
)

// Stay gives the process in a place, which is started if none is there.
// One that git ended, at a damaged object for example, must not hide all others.
func (r *Program) Stay(ctx context.Context, at Stay, c Call, files ...*os.File) (*Talk, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t := r.stays[at]; t != nil && !t.HasEnded() {
		return t, nil
	}
	t, err := r.begin(ctx, c, files...)
	if err != nil {
		return nil, err
	}
	r.stays[at] = t
	return t, nil
}

// leave ends all processes that stay.
func (r *Program) leave() {
	r.mu.Lock()
	there := r.stays
	r.stays = [allStays]*Talk{}
	r.mu.Unlock()
	for _, t := range there {
		t.close() // not under the lock, which a process in the middle of something may need
	}
}

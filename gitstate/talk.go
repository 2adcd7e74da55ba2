package gitstate

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

// talk is a git process that stays, and answers one question after the other.
type talk struct {
	name       string
	args       []string
	sync.Mutex // whoever asks holds it until the answer is read
	child      *proc.Child
	in         io.Writer
	out        *bufio.Reader
	ended      atomic.Bool
	// exit says how it ended, if not well.
	exit *proc.ExitError
	// patience is how long one answer may take; gaveUp says that it took longer.
	patience proc.Patience
	gaveUp   atomic.Bool
}

// errEnded says that a process which was to stay is gone.
var errEnded = errors.New("git ended")

// ErrKilled says that somebody killed git while it read: that tells nothing of what it was reading.
var ErrKilled = errors.New("git was killed")

// patience is how many processes may be killed under one question.
const patience = 3

// begin starts a command that stays. It outlives the call that needed it first,
// so that call's deadline must not end it.
func (r *Program) begin(ctx context.Context, c Call, files ...*os.File) (*talk, error) {
	cmd := r.command(c)
	cmd.Files = files
	child, err := cmd.Start(context.WithoutCancel(ctx))
	if err != nil {
		return nil, fmt.Errorf("start git %s: %w", c.Args[0], err)
	}
	return &talk{
		name: (&Error{Args: c.Args}).Command(), args: c.Args, child: child, in: child.In, out: bufio.NewReaderSize(child.Out, 64<<10), patience: r.patienceWith(c),
	}, nil
}

// await has patience with one answer, until stop is called. One that only reads is killed at the limit.
func (t *talk) await() (stop func()) {
	return t.patience.Watch(t.PID(), func() {
		t.gaveUp.Store(true)
		t.child.Signal()
	})
}

// say puts a question.
func (t *talk) say(text string) error {
	if _, err := io.WriteString(t.in, text); err != nil {
		return t.end(err)
	}
	return nil
}

// end says why the process is gone, in git's own words where it left some.
func (t *talk) end(err error) error {
	t.ended.Store(true)
	if t.gaveUp.Load() {
		_ = t.child.Close()
		return fmt.Errorf("%w: %w", errEnded, &LimitError{Args: t.args, PID: t.PID(), Limit: t.patience.Limit})
	}
	if errors.As(t.child.Close(), &t.exit) {
		err = &Error{Args: []string{t.name}, Code: t.exit.Code, Text: cleanStderr(t.exit.Stderr, t.exit.Signal)}
		if t.exit.Signal != "" {
			err = fmt.Errorf("%w: %w", ErrKilled, err)
		}
	}
	return fmt.Errorf("%w: %w", errEnded, err)
}

// stop ends a process in the middle of what it says.
func (t *talk) stop() {
	t.ended.Store(true)
	t.child.Kill()
}

// close ends a process that is still there.
func (t *talk) close() {
	if t == nil || t.ended.Load() {
		return
	}
	t.Lock()
	defer t.Unlock()
	if !t.ended.Swap(true) {
		stop := t.await()
		defer stop()
		_ = t.child.Close()
	}
}

// PID is the number of its process.
func (t *talk) PID() int { return t.child.PID() }

// hasEnded reports that it answers no more.
func (t *talk) hasEnded() bool { return t.ended.Load() }

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

// stay gives the process in a place, which is started if none is there.
// One that git ended, at a damaged object for example, must not hide all others.
func (r *Program) stay(ctx context.Context, at Stay, c Call, files ...*os.File) (*talk, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t := r.stays[at]; t != nil && !t.hasEnded() {
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
	r.stays = [allStays]*talk{}
	r.mu.Unlock()
	for _, t := range there {
		t.close() // not under the lock, which a process in the middle of something may need
	}
}

// Package remotework lets a machine work on a shared run: it gets the lease, executes tasks, sends each result, and gives the lease back.
// It never asks anybody.
package remotework

import (
	"context"
	"errors"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/internal/conversation"
	"github.com/git-resume/git-resume/internal/exchange"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/handler/sharing"
	"github.com/git-resume/git-resume/internal/plan"
	screen "github.com/git-resume/git-resume/internal/screen/sharing"
)

// Request says what a machine shall work on.
type Request struct {
	sharing.WorkRequest
	// For is how long the machine may work; 0 means without a limit. If Wait is true, it waits while somebody else has the lease.
	For  time.Duration
	Wait bool
}

// worker works on one run.
type worker struct {
	*conversation.Talk
	q     Request
	shift *sharing.Shift
	until time.Time

	mu     sync.Mutex
	sent   time.Time
	over   bool // the time is over
	parked *exchange.Parked
}

// Work works on a shared run until there is nothing left to do, the time is over, or somebody else has the lease.
func Work(t *conversation.Talk, q Request) error {
	w := &worker{Talk: t, q: q}
	if q.For > 0 {
		w.until = t.Clock().Add(q.For)
	}
	var err error
	if w.shift, err = w.begin(); err != nil {
		return err
	}
	if w.shift.Over {
		screen.Over(t.Person.Screen(), w.shift.Run)
		return nil
	}
	defer w.shift.Release()
	screen.Working(t.Person.Screen(), w.shift)
	t.Options.Yes, t.Options.Takeover, t.Executing = true, w.shift.Strange, w.watch
	err = conversation.Resume(t, string(w.shift.Run))
	return w.end(err)
}

// begin gets the lease. While somebody else has it, begin waits if that was asked for.
func (w *worker) begin() (*sharing.Shift, error) {
	pause := time.Second
	for {
		s, err := w.Engine.Sharing.Begin(w.Context, w.q.WorkRequest)
		var leased *exchange.LeasedError
		var held *owner.HeldError
		if !w.q.Wait || !errors.As(err, &leased) && !errors.As(err, &held) {
			return s, err
		}
		if !w.until.IsZero() && w.Clock().Add(pause).After(w.until) {
			return nil, err
		}
		select {
		case <-w.Context.Done():
			return nil, w.Context.Err()
		case <-time.After(pause):
		}
		pause = min(2*pause, 30*time.Second)
	}
}

// watch sends results while tasks are executed, and ends the execution when the time is over.
func (w *worker) watch(q *resume.ExecuteRequest, signals chan<- os.Signal) {
	q.Watch = watcher{q.Watch, w, signals}
	if w.until.IsZero() {
		return
	}
	time.AfterFunc(max(0, w.until.Sub(w.Clock())), func() {
		w.mu.Lock()
		w.over = true
		w.mu.Unlock()
		signals <- syscall.SIGTERM
	})
}

// watcher sends what was recorded after each task.
type watcher struct {
	resume.Watcher
	worker  *worker
	signals chan<- os.Signal
}

func (x watcher) Ends(n, of int, task plan.Task, out *execution.Outcome) {
	x.Watcher.Ends(n, of, task, out)
	w := x.worker
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.parked != nil || w.Clock().Sub(w.sent) < w.shift.SendEvery {
		return
	}
	w.sent = w.Clock()
	done, err := w.Engine.Sharing.Exchange.Send(context.WithoutCancel(w.Context), exchange.SendRequest{Run: w.shift.Run, Remote: w.shift.Remote, Share: true})
	if err == nil && w.lost(done) {
		x.signals <- syscall.SIGTERM // somebody else has the lease: whatever is done from now on does not count
	}
}

// lost reports whether work of this shift does not count, because somebody else got the lease.
func (w *worker) lost(x *exchange.Exchange) bool {
	p, err := w.Engine.Sharing.Exchange.ParkedUnder(context.WithoutCancel(w.Context), x, w.shift.Lease)
	if err == nil && p != nil {
		w.parked = p
	}
	return w.parked != nil
}

// end gives the lease back and sends everything. It returns an exit code or an error that says how the work ended.
func (w *worker) end(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	cause := "done"
	var code exit.Code
	switch {
	case w.over:
		cause = "time"
	case errors.As(err, &code) && int(code) == exit.Interrupted:
		cause = "signal"
	}
	done, sendErr := w.Engine.Sharing.Exchange.GiveBack(context.WithoutCancel(w.Context), w.shift.Run, w.shift.Remote, cause)
	if sendErr == nil {
		w.lost(done)
	}
	switch {
	case w.parked != nil:
		screen.Parked(w.Person.Screen(), w.shift.Run, w.parked)
		return exit.Code(exit.Busy)
	case sendErr != nil && err == nil:
		return sendErr
	case sendErr != nil:
		w.Person.Fault(sendErr)
		return err
	case w.over && !done.Journal.Run.Closed():
		screen.TimeUp(w.Person.Screen(), w.shift.Run)
		return exit.Code(exit.TimeUp)
	}
	return err
}

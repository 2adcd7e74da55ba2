// Package remotework lets a machine work on a shared run: it gets the lease, executes tasks, sends their results, and gives the lease
// back. It also gets the lease for a person who continues a shared run.
package remotework

import (
	"errors"
	"time"

	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/internal/conversation"
	"github.com/git-resume/git-resume/internal/exchange"
	"github.com/git-resume/git-resume/internal/handler/sharing"
	screen "github.com/git-resume/git-resume/internal/screen/sharing"
)

// Request says what a machine is to work on, and for how long.
type Request struct {
	sharing.WorkRequest
	// The field "For" is how long the machine is allowed to work; 0 means without a limit. If Wait is true, the machine waits while
	// somebody else has the lease.
	For  time.Duration
	Wait bool
	// Wip is true if uncommitted work is put into the worktree first, and sent at the end.
	Wip bool
}

type worker struct {
	session
	q Request
}

// Work works on a shared run until the run is finished or cannot continue, the time is over, or somebody else has the lease.
func Work(t *conversation.Talk, q Request) error {
	t.Lease = nil // this command gets the lease by itself
	w := &worker{session{Talk: t, wip: q.Wip}, q}
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
	t.Options.Keep = t.Options.Keep || q.Wip
	w.useBrought()
	err = conversation.Resume(t, string(w.shift.Run))
	return w.end(err, false)
}

// begin gets the lease. With the option Wait, it waits while somebody else has the lease, or while another process of this clone works on
// the run. It gives up at the time w.until.
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

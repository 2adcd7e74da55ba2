package remotework

import (
	"context"
	"errors"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/git-resume/git-resume/internal/conversation"
	"github.com/git-resume/git-resume/internal/exchange"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/handler/sharing"
	"github.com/git-resume/git-resume/internal/plan"
	screen "github.com/git-resume/git-resume/internal/screen/sharing"
)

// session lets a command execute tasks, and stops them when the time is over. If it has the lease of a shared run, it also sends the
// results.
type session struct {
	*conversation.Talk
	// shift is nil if this session has no lease of a shared run.
	shift *sharing.Shift
	// until is zero if the time is not limited.
	until time.Time
	// wip is true if uncommitted work is sent at the end.
	wip bool

	mu     sync.Mutex
	sent   time.Time
	over   bool // the time in the field "until" has come
	parked *exchange.Parked
}

// watch sends results while tasks are executed, and ends the execution when the time is over.
func (w *session) watch(q *resume.ExecuteRequest, signals chan<- os.Signal) {
	if w.shift != nil {
		q.Watch = watcher{q.Watch, w, signals}
	}
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

// watcher sends the new records when a task ends, but not more often than shift.SendEvery allows.
type watcher struct {
	resume.Watcher
	session *session
	signals chan<- os.Signal
}

func (x watcher) Ends(n, of int, task plan.Task, out *execution.Outcome) {
	x.Watcher.Ends(n, of, task, out)
	w := x.session
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.parked != nil || w.Clock().Sub(w.sent) < w.shift.SendEvery {
		return
	}
	w.sent = w.Clock()
	done, err := w.Engine.Sharing.Exchange.Send(context.WithoutCancel(w.Context), exchange.SendRequest{Run: w.shift.Run, Remote: w.shift.Remote, Share: true, Wip: w.used()})
	if err == nil && w.lost(done) {
		x.signals <- syscall.SIGTERM // ends the execution: somebody else has the lease, so further work would not count
	}
}

// The method "lost" reports whether work that was done here does not count, because somebody else got the lease.
func (w *session) lost(x *exchange.Exchange) bool {
	p, err := w.Engine.Sharing.Exchange.ParkedUnder(context.WithoutCancel(w.Context), x, w.shift.Lease)
	if err == nil && p != nil {
		w.parked = p
	}
	return w.parked != nil
}

// end sends what is new and gives the lease back. If goesOn is true, somebody continues to work in this clone after the command, so end
// keeps the lease. The returned error says how the work ended. It can be an exit.Code, for which no message is printed.
func (w *session) end(err error, goesOn bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	done, sendErr := w.send(err, goesOn)
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

func (w *session) send(err error, goesOn bool) (*exchange.Exchange, error) {
	ctx, ex := context.WithoutCancel(w.Context), w.Engine.Sharing.Exchange
	if goesOn {
		done, err := ex.Send(ctx, exchange.SendRequest{Run: w.shift.Run, Remote: w.shift.Remote, Share: true, Wip: w.used()})
		if err == nil {
			screen.StaysLeased(w.Person.Screen(), w.shift)
		}
		return done, err
	}
	cause := "done"
	var code exit.Code
	switch {
	case w.over:
		cause = "time"
	case errors.As(err, &code) && int(code) == exit.Interrupted:
		cause = "signal"
	}
	wip, packed := w.used(), w.pack(ctx)
	if packed != nil {
		wip.Send = packed.Commit
	}
	done, err := ex.GiveBack(ctx, w.shift.Run, w.shift.Remote, cause, wip)
	if err == nil && done.WipSent {
		screen.SentWip(w.Person.Screen().OnErr(), packed)
	}
	return done, err
}

// useBrought tells the user which uncommitted work came from the remote. That work is put into the worktree when the run continues, if the
// user wants to continue on top of it, and if it is based on the last commit of the run that the remote has.
func (w *session) useBrought() {
	b := w.shift.Brought
	screen.Brought(w.Person.Screen().OnErr(), w.shift.Run, b, !w.Options.Keep)
	if b != nil && b.Err == nil && b.Fits && w.Options.Keep {
		w.Talk.Brought = &resume.Brought{Snapshot: b.Snapshot}
	}
}

// used returns the commit with the remote's uncommitted work, if that work was put into the worktree here. The remote can then delete its
// copy. Otherwise the result is empty.
func (w *session) used() (out exchange.Wip) {
	if b := w.Talk.Brought; b != nil && b.Put {
		out.Used = w.shift.Brought.Commit
	}
	return out
}

// pack makes a commit of the uncommitted work, if the user asked to send it. If pack fails, it prints why and returns nil. Everything
// else is still sent.
func (w *session) pack(ctx context.Context) *sharing.Packed {
	if !w.wip {
		return nil
	}
	j, err := w.Engine.Find.Journal(ctx, w.shift.Run)
	if err == nil {
		var packed *sharing.Packed
		if packed, err = w.Engine.Sharing.Pack(ctx, &j.Run, false); err == nil {
			return packed
		}
	}
	w.Person.Fault(err)
	return nil
}

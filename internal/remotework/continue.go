package remotework

import (
	"cmp"
	"errors"
	"time"

	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/conversation"
	"github.com/git-resume/git-resume/internal/exchange"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler/sharing"
	screen "github.com/git-resume/git-resume/internal/screen/sharing"
)

// Attach lets a conversation get the lease before it continues a shared run. For other runs, nothing changes.
func Attach(t *conversation.Talk, getenv func(string) string) {
	offline := false // true after the user was told that the program works without asking the remote
	t.Lease = func(a *assess.Assessment, w assess.Request) (conversation.Leave, error) {
		switch {
		case !needed(t, a, w) || offline:
			return nil, nil
		case t.Options.Offline:
			offline = true
			return nil, without(t, a, w)
		}
		s := &session{Talk: t}
		q := sharing.WorkRequest{}
		q.Seat, q.Incarnation = SeatOf(getenv)
		return s.lease(a, w, q)
	}
}

// needed reports whether the remote must be asked before a run is continued. A run that is not ours must be taken over before it is
// continued. For such a run, needed returns true only under two conditions: this clone has already seen the run at the remote, and a person
// can take the run over with this command.
func needed(t *conversation.Talk, a *assess.Assessment, w assess.Request) bool {
	m, r := &a.Summary, &a.Summary.Run
	switch {
	case m.Found != nil || !r.Share.Bound() || r.Closed() || t.Options.DryRun || t.Options.Print:
		return false
	case a.Has(candidate.FindAlive), w.Mode == assess.Preflight && !w.Terminal && !w.Yes: // the run will not be continued
		return false
	case r.Ours():
		return true
	}
	return m.Seen != nil && m.Seen.Sum == r.Share.Remote && w.Named && w.Mode != assess.Auto && (w.Terminal || w.Takeover)
}

// The function "without" tells the user what it means to continue without asking the remote. If somebody else had the lease when the remote
// was last asked, it refuses to continue automatically, because only a person can decide that.
func without(t *conversation.Talk, a *assess.Assessment, w assess.Request) error {
	id, seen := a.Summary.Run.ID, a.Summary.Seen
	if seen != nil && !seen.Free && !seen.Ours && w.Mode == assess.Auto {
		return &exchange.LeasedError{Run: id, Remote: seen.Remote, By: seen.By, Lease: seen.Lease}
	}
	screen.Offline(t.Person.Screen(), id, seen)
	return nil
}

// Within calls a function that executes tasks. At the time "until" it stops the running task, and the work then ends with exit code 18. If
// "until" is zero, the time is not limited.
func Within(t *conversation.Talk, until time.Time, do func() error) error {
	if until.IsZero() {
		return do()
	}
	s := &session{Talk: t, until: until}
	before := t.Executing
	t.Executing, t.Until = s.watch, until
	defer func() { t.Executing = before }()
	err := do()
	s.mu.Lock()
	defer s.mu.Unlock()
	var code exit.Code
	if s.over && errors.As(err, &code) && int(code) == exit.Interrupted {
		screen.TimeOver(t.Person.Screen())
		return exit.Code(exit.TimeUp)
	}
	return err
}

// lease gets the lease of a run, or returns an error. If somebody else has the lease, it takes the lease over only with the option
// --takeover, and only after a person has agreed. In automatic mode it never takes the lease over.
func (w *session) lease(a *assess.Assessment, ask assess.Request, q sharing.WorkRequest) (conversation.Leave, error) {
	w.until = w.Until
	r := &a.Summary.Run
	shift, err := w.Engine.Sharing.Continue(w.Context, r, q)
	var leased *exchange.LeasedError
	if errors.As(err, &leased) && ask.Takeover && ask.Mode != assess.Auto {
		screen.Taking(w.Person.Screen().OnErr(), leased)
		if err := conversation.AllowLease(w.Talk, a, cmp.Or(leased.By, "its holder")); err != nil {
			return nil, err
		}
		q.Takeover = true
		shift, err = w.Engine.Sharing.Continue(w.Context, r, q)
	}
	var gone *exchange.UnreachableError
	if errors.As(err, &gone) {
		gone.Run, gone.Before = r.ID, true
	}
	if err != nil {
		return nil, err
	}
	w.shift = shift
	screen.Working(w.Person.Screen(), shift)
	w.useBrought()
	before := w.Executing
	w.Executing = w.watch
	return func(err error, goesOn bool) error {
		defer shift.Release()
		w.Executing = before
		return w.end(err, goesOn)
	}, nil
}

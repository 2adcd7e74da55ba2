package conversation

import (
	"context"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/screen/outcome"
)

// WaitRequest says for which run to wait.
type WaitRequest struct {
	Run string
	// Most is how long to wait in all.
	Most time.Duration
	// Open opens the repository for each look at the run, because anything may have changed. Close closes it while Wait waits.
	Open  func() (*Talk, error)
	Close func()
}

const (
	// waitEach is the time between two readings of the state.
	waitEach = time.Second
	// errorPause is how long to wait after an error of the model's server.
	errorPause = time.Minute
)

// Wait continues a run as --auto does until it is closed, cannot continue, or the time limit is over. It waits for workers and limits.
func Wait(ctx context.Context, q WaitRequest) error {
	w := &waiter{q: q}
	for ctx.Err() == nil {
		t, err := q.Open()
		if err != nil {
			return err
		}
		pause, done, err := w.round(t)
		q.Close()
		if done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	return exit.Code(exit.Interrupted)
}

type waiter struct {
	q   WaitRequest
	id  checkpoint.RunID
	end time.Time
	// said is what was shown last, so that the same is not shown twice.
	said outcome.Wait
	// notBefore is the time before which the run is not continued again.
	notBefore time.Time
}

// round looks at the run once, and continues it if nothing is in the way. The result "done" is true if there is nothing more to wait for.
func (w *waiter) round(t *Talk) (pause time.Duration, done bool, err error) {
	now := t.Clock()
	if w.id == "" {
		if w.id, err = t.Engine.Find.Resolve(t.Context, w.q.Run); err != nil {
			return 0, true, err
		}
		w.end = now.Add(w.q.Most)
	}
	s, err := t.Engine.Find.Lookup(t.Context, candidate.RunKey(w.id))
	if err != nil {
		return 0, true, err
	}
	if s.Run.Closed() {
		outcome.Over(t.Person.Screen(), &s)
		return 0, true, nil
	}
	on, waits := waitingFor(&s, now)
	if !waits && now.Before(w.notBefore) {
		on, waits = outcome.Wait{Run: w.id, Until: w.notBefore, Error: true}, true
	}
	switch {
	case !waits:
		return w.advance(t, &s.Run)
	case !now.Before(w.end) || on.Until.After(w.end):
		outcome.WaitedEnough(t.Person.Screen(), on, w.q.Most)
		if on.Until.IsZero() {
			return 0, true, exit.Code(exit.Busy)
		}
		return 0, true, exit.Code(exit.Decide)
	case on != w.said:
		outcome.Waits(t.Person.Screen(), on)
		w.said = on
	}
	return waitEach, false, nil
}

// waitingFor says whether a run waits for the end of other work or of a limit. It returns false if more waiting would not help.
func waitingFor(s *candidate.Summary, now time.Time) (outcome.Wait, bool) {
	on := outcome.Wait{Run: s.Run.ID}
	_, task := s.Run.Current()
	switch k := s.Session; {
	case s.State == checkpoint.Running, s.State == checkpoint.Idle && s.Life.Driver == proc.Alive:
		return on, true
	case s.State != checkpoint.Interrupted && s.State != checkpoint.FailedRun:
		return on, false
	case k != nil && k.Turn.Cause == checkpoint.TurnQuota && k.Until.Add(candidate.AfterLimit).After(now):
		on.Agent, on.Limit, on.Until = k.Agent, k.Turn.Limit, k.Until.Add(candidate.AfterLimit)
		return on, true
	case task != nil && task.State == checkpoint.Failed && task.Until != "":
		until, err := time.Parse(time.RFC3339, task.Until)
		on.Task, on.Until, on.Limited = task.ID, until, task.Cause == string(checkpoint.TurnQuota)
		return on, err == nil && until.After(now)
	}
	return on, false
}

// advance continues the run as --auto does. The result "done" is true if there is nothing more to wait for.
func (w *waiter) advance(t *Talk, was *checkpoint.Run) (pause time.Duration, done bool, err error) {
	t.Options.Auto = true
	err = Resume(t, string(w.id))
	w.said = outcome.Wait{}
	switch h := t.handed; {
	case h == nil, h.Journal.Run.Finished, h.Handed.Agent == "" && err != nil:
		return 0, true, err
	case endedInVain(h.Handed, was, &h.Journal.Run):
		outcome.EndedInVain(t.Person.Screen(), &h.Journal.Run)
		return 0, true, exit.Code(exit.Decide)
	case h.Handed.Turn != nil && (h.Handed.Turn.Cause == checkpoint.TurnOverloaded || h.Handed.Turn.Cause == checkpoint.TurnError):
		w.notBefore = t.Clock().Add(errorPause)
	}
	return 0, false, nil
}

// endedInVain reports whether an agent regards its work as done, or was stopped by its user, or says nothing at all, although no further task
// was closed. To give it the same brief again would only cost the user's limit.
func endedInVain(h *resume.Handed, was, now *checkpoint.Run) bool {
	closed := func(r *checkpoint.Run) (n int) {
		for _, t := range r.Tasks {
			if t.State.Closed() {
				n++
			}
		}
		return n
	}
	ended := h.Turn == nil && h.Silent && h.Code == 0 || h.Turn != nil && (h.Turn.Cause == checkpoint.TurnDone || h.Turn.Cause == checkpoint.TurnUser)
	return ended && closed(now) <= closed(was)
}

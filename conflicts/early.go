package conflicts

import (
	"context"
	"time"

	"github.com/git-resume/git-resume/gitstate/past"
)

// bothTime limits how long an early merge may search for the common ancestor while another git process searches for it too. After this
// time, the early merge is stopped. git merges again when the ancestor is known.
var bothTime = 40 * time.Millisecond

// earlyMerge is a merge that git starts before we know the common ancestor. Git then searches for the ancestor too. If the search is
// short, this is faster than waiting for our own search. A nil earlyMerge means that there is none.
type earlyMerge struct {
	stop   context.CancelFunc
	late   *time.Timer   // stops the merge; nil until the method "limit" starts it
	done   chan struct{} // closed when "merged" and "err" are set
	merged past.Merged
	err    error
}

func startEarly(ctx context.Context, repo *past.Scratch, ours, theirs string) *earlyMerge {
	ctx, stop := context.WithCancel(ctx)
	e := &earlyMerge{stop: stop, done: make(chan struct{})}
	go func() {
		defer close(e.done)
		e.merged, e.err = repo.Merge(ctx, ours, theirs)
	}()
	return e
}

// limit starts the timer that stops the merge. It is called when another git process starts to search for the ancestor as well.
func (e *earlyMerge) limit() { e.late = time.AfterFunc(bothTime, e.stop) }

// The method "counts" reports whether the result of the early merge can be used, and stops the timer of the method "limit". If the timer
// has already fired, the result can be used only if the merge had succeeded before. Without an early merge, the answer is false.
func (e *earlyMerge) counts() bool {
	if e == nil || e.late == nil || e.late.Stop() {
		return e != nil
	}
	<-e.done
	return e.err == nil
}

func (e *earlyMerge) result() (past.Merged, error) {
	<-e.done
	return e.merged, e.err
}

// end stops the merge, if it is still running, and waits for its end.
func (e *earlyMerge) end() {
	if e != nil {
		e.stop()
		<-e.done
	}
}

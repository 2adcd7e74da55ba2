package assess

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/candidate"
)

// Renew writes a new journal for a run of which only the commits are known. For any other run, it does nothing. A run without a branch is
// refused with a *ScatteredError.
func (e *Judge) Renew(ctx context.Context, a *Assessment) error {
	r := &a.Summary.Run
	if !r.Rebuilt || a.Summary.Rebuilt != "" { // the run has a journal; Summary.Rebuilt says why that journal could not be read
		return nil
	}
	if r.Branch == "" {
		return &candidate.ScatteredError{Run: r.ID}
	}
	base, tip := r.Base, a.Seen.Branch
	events := []checkpoint.Event{{Event: checkpoint.RunStarted, Name: r.Name, Base: &base, Branch: r.Branch, Head: base.Commit, Found: true}}
	for _, t := range r.Tasks {
		ev := checkpoint.Event{Event: checkpoint.TaskAdded, Task: t.ID, Head: tip}
		if t.State == checkpoint.Done {
			ev.Event, ev.Commit, ev.Tree, ev.Found = checkpoint.TaskDone, t.Commit, t.Tree, true
		}
		events = append(events, ev)
	}
	if a.Tree.Admin != "" { // record the event TreeReady too, because without it the worktree would count as never completed
		events = append(events, checkpoint.Event{Event: checkpoint.TreeReady, Worktree: a.Tree.Path, Admin: filepath.Base(a.Tree.Admin), Head: tip})
	}
	j, err := e.Store.Renew(ctx, r.ID, events)
	if errors.Is(err, journal.ErrThere) {
		return candidate.ErrMoved
	}
	if err != nil {
		return err
	}
	a.Seen.Events = j.Run.Events
	return nil
}

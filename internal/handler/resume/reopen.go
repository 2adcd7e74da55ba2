package resume

import (
	"context"
	"errors"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/site"
)

// MayReopen returns nil for a finished run of ours that is neither discarded nor superseded, and an error for any other run.
func (e *Resumer) MayReopen(r *checkpoint.Run) error {
	if err := site.MustOwn(r); err != nil {
		return err
	}
	if !r.Finished || r.Discarded || r.Superseded != "" {
		return &candidate.ClosedError{ID: r.ID, State: checkpoint.StateOf(r, checkpoint.Life{}, e.Now(), candidate.IdleAfter), Superseded: r.Superseded}
	}
	return nil
}

// NothingToUpdate returns an error for the option --update of a closed run whose base has commits that the run lacks: such a run is not
// updated. It returns nil if the run has all commits of its base, for example because the option had its effect before the run ended.
func (e *Resumer) NothingToUpdate(ctx context.Context, r *checkpoint.Run) error {
	closed := &candidate.ClosedError{ID: r.ID, State: checkpoint.StateOf(r, checkpoint.Life{}, e.Now(), candidate.IdleAfter), Superseded: r.Superseded, Flag: "--update"}
	tip, err := e.Store.History().BranchTip(ctx, r)
	if err != nil || r.Discarded || r.Superseded != "" || tip == "" {
		return errors.Join(err, closed)
	}
	base, err := e.Repo.Refs.Ref(ctx, r.BaseBranch())
	if err != nil || base == "" {
		return errors.Join(err, closed)
	}
	within, err := past.IsAncestor(ctx, e.Repo, base, tip)
	if err != nil || !within {
		return errors.Join(err, closed)
	}
	return nil
}

// Reopen undoes the end of a run, and reopens a task and the tasks after it.
func (e *Resumer) Reopen(ctx context.Context, id checkpoint.RunID, from string) error {
	lines, err := e.Store.Lines(ctx, id)
	if err != nil {
		return err
	}
	var ends []string
	for _, l := range lines {
		if l.Ours && l.Event.Event == checkpoint.RunFinished && !checkpoint.IsUndone(lines, l.Event.ID) {
			ends = append(ends, l.Event.ID)
		}
	}
	_, err = e.Store.Append(ctx, id, journal.Batch{Asked: true, Decide: func(r *checkpoint.Run) ([]checkpoint.Event, error) {
		if err := e.MayReopen(r); err != nil {
			return nil, err
		}
		t, err := candidate.NeedTask(r, from)
		if err != nil {
			return nil, err
		}
		var events []checkpoint.Event
		for _, end := range ends {
			events = append(events, checkpoint.Event{Event: checkpoint.Undone, Undoes: end, Text: "from " + string(t.ID)})
		}
		return append(events, resetsFrom(r, t.ID)...), nil
	}})
	return err
}

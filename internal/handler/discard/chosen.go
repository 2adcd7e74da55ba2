package discard

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/files"
)

// Change finds a change by its number in the output of "git resume undo --list". The error says why the change cannot be undone.
func (e *Undoer) Change(ctx context.Context, number int) (*Undoing, error) {
	acts, err := e.Store.Folder().Acts()
	if err != nil {
		return nil, fmt.Errorf("read the history of changes: %w", err)
	}
	if number < 1 || number > len(acts) {
		return nil, &NoChangeError{Number: number}
	}
	var u *Undoing
	err = e.walk(ctx, "", func(h history, a act) (more bool, err error) {
		if a.number == number {
			u, err = h.change(ctx, a)
		}
		return a.number > number, err
	})
	if err != nil {
		return nil, err
	}
	if u == nil {
		return obstacles{e}.unfinishedOrMissing(ctx, number, acts[len(acts)-number])
	}
	u.Chosen = true
	return obstacles{e}.refuseBlocked(ctx, u)
}

// obstacles has the methods that find out what prevents an undo.
type obstacles struct{ undoer *Undoer }

// unfinishedOrMissing handles the number of a change that was undone or cannot be undone. If the change is a restore, and git-resume was
// killed while it undid this restore, the function returns the unfinished undo, so that the same command can complete it. Otherwise it
// returns an error.
func (o obstacles) unfinishedOrMissing(ctx context.Context, number int, a files.Act) (*Undoing, error) {
	u, err := unrestorer(o).unfinished(ctx, a.Run, false)
	if err != nil || u == nil || u.Lines[0].Undoes != a.ID {
		return nil, errors.Join(err, o.explainMissing(ctx, number, a))
	}
	u.Number, u.Chosen = number, true
	return u, nil
}

// explainMissing returns an error that says whether the change is unknown or already undone.
func (o obstacles) explainMissing(ctx context.Context, number int, a files.Act) error {
	none := &NoChangeError{Number: number}
	lines, err := o.undoer.Store.Lines(ctx, a.Run)
	if err != nil {
		return none // the journal is gone if nothing of a discarded run is kept any more
	}
	h := history{Site: o.undoer.Site, undoer: o.undoer, lines: map[checkpoint.RunID][]checkpoint.Line{a.Run: lines}}
	i := slices.IndexFunc(lines, func(l checkpoint.Line) bool { return l.Ours && l.Event.ID == a.ID })
	if i < 0 {
		return none
	}
	none.Run = a.Run
	what := lines[i].Event
	none.Undone = checkpoint.IsUndone(lines, a.ID) || what.Event == checkpoint.RunDiscarded && h.isRestored(ctx, a.Run, what)
	return none
}

// laterChanges lists the changes of all runs that were made after the given change and have not been undone, newest first.
func (o obstacles) laterChanges(ctx context.Context, u *Undoing) (out []Undoing, err error) {
	err = o.undoer.walk(ctx, "", func(h history, a act) (bool, error) {
		if a.number <= u.Number {
			return false, nil
		}
		later, err := h.change(ctx, a)
		if later != nil {
			out = append(out, *later)
		}
		return true, err
	})
	return out, err
}

// refuseBlocked returns u, and an error if something prevents its undo.
func (o obstacles) refuseBlocked(ctx context.Context, u *Undoing) (*Undoing, error) {
	later, err := o.laterChanges(ctx, u)
	if err != nil {
		return u, err
	}
	lines, err := o.undoer.Store.Lines(ctx, u.Run.ID)
	if err != nil {
		return u, err
	}
	if err := refuseOvertaken(u, later, lines); err != nil {
		return u, err
	}
	if err := o.refuseMove(ctx, u, later); err != nil {
		return u, err
	}
	return o.undoer.refuseImpossible(ctx, u)
}

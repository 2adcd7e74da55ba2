package conversation

import (
	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/handler/discard"
	"github.com/git-resume/git-resume/internal/screen/undo"
)

type undoing struct{ *Talk }

// listedChanges is the largest number of changes that "undo --list" shows.
const listedChanges = 1000

// UndoRequest says which change to undo: the one with a number, or the last one of a run or of all runs. With Redo, it reverses an undo.
type UndoRequest struct {
	Run    string
	Number int
	Redo   bool
}

// Undo shows a change, asks, and undoes it.
func Undo(t *Talk, req UndoRequest) error { return undoing{t}.undo(req) }

func (t undoing) undo(req UndoRequest) error {
	q := yesNo(askUndo, "Undo this?", "undo it; 'git resume undo --redo' does it again", difference{})
	if req.Redo {
		q = yesNo(askRedo, "Do this again?", "do it again; 'git resume undo' undoes it", difference{})
	}
	u, err := t.find(req)
	if err != nil {
		return err
	}
	if err := t.Engine.Undoing.Weigh(t.Context, u); err != nil {
		return err
	}
	if t.Options.DryRun {
		undo.Undoing(t.Person.Screen(), u)
		return nil
	}
	undo.Undoing(t.Person.Screen().OnErr(), u)
	q.diff = differences(t).undone(u)
	if err := t.confirmUndo(u, q); err != nil {
		return err
	}
	done, err := t.Engine.Undoing.Undo(t.Context, u)
	if err == nil {
		undo.Undone(t.Person.Screen(), done)
	}
	return err
}

func (t undoing) find(req UndoRequest) (*discard.Undoing, error) {
	switch {
	case req.Redo:
		return t.Engine.Undoing.Redoing(t.Context, req.Run)
	case req.Number > 0:
		return t.Engine.Undoing.Change(t.Context, req.Number)
	}
	return t.Engine.Undoing.Undoing(t.Context, req.Run)
}

// confirmUndo asks whether to undo a change. If others may rely on the change, it asks even if --yes was given.
func (t undoing) confirmUndo(u *discard.Undoing, q question) error {
	switch {
	case (u.Unsure || u.Weighty()) && !t.Person.CanAnswer():
		return &NoTerminalError{question: q.text}
	case u.Weighty():
		return t.allow(q)
	}
	return t.confirm(q)
}

// Changes lists the changes that can be undone, newest first. If run is empty, it lists those of all runs.
func Changes(t *Talk, run string) error {
	var only checkpoint.RunID
	if run != "" {
		var err error
		if only, err = t.Engine.Find.Resolve(t.Context, run); err != nil {
			return err
		}
	}
	all, err := t.Engine.Undoing.Changes(t.Context, only, listedChanges)
	if err == nil {
		undo.Changes(t.Person.Screen(), all)
	}
	return err
}

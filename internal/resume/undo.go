package resume

import (
	"context"
	"errors"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/worktree"
)

// Undone is what an undo reversed.
type Undone struct {
	Journal *checkpoint.Journal
	// What names the change that was reversed.
	What checkpoint.Event
	// Back is the worktree that came back, Again what was dropped once more.
	Back  *worktree.Undone
	Again *Dropped
}

// ErrNothingToUndo says that nobody changed a run in a way that can be reversed.
var ErrNothingToUndo = errors.New("there is nothing to undo")

// personal are the changes that a person makes to a run; reports of work are never undone.
var personal = []checkpoint.Kind{
	checkpoint.RunDiscarded, checkpoint.RunRestored, checkpoint.RunFinished, checkpoint.RunPaused, checkpoint.RunSuperseded,
	checkpoint.TaskSkipped, checkpoint.TaskAnswered, checkpoint.TaskReset, checkpoint.RunPlanned, checkpoint.Undone,
}

// Undo reverses the newest change that a person made to a run; twice is as if nothing had been done.
func (e *Engine) Undo(ctx context.Context, run string) (*Undone, error) {
	id, err := e.undoable(ctx, run)
	if err != nil {
		return nil, err
	}
	what, err := e.lastChange(ctx, id)
	if err != nil {
		return nil, err
	}
	switch what.Event {
	case checkpoint.RunDiscarded:
		return e.undiscard(ctx, id, what)
	case checkpoint.RunRestored:
		again, err := e.Discard(ctx, id, DiscardForced)
		if err != nil {
			return nil, err
		}
		return &Undone{Journal: again.Journal, Again: again, What: what}, nil
	}
	return e.takeBack(ctx, id, what)
}

func (e *Engine) undiscard(ctx context.Context, id checkpoint.RunID, what checkpoint.Event) (*Undone, error) {
	j, err := e.Store.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	u, err := e.restore(ctx, id, &j.Run)
	if err != nil {
		return nil, err
	}
	u.What = what
	return u, nil
}

// takeBack appends a line that takes another one's word away.
func (e *Engine) takeBack(ctx context.Context, id checkpoint.RunID, what checkpoint.Event) (*Undone, error) {
	release, err := e.Store.Hold(id)
	if err != nil {
		return nil, err
	}
	defer release()
	j, err := e.Store.Append(ctx, id, checkpoint.Batch{Decide: func(*checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{{Event: checkpoint.Undone, Undoes: what.ID}}, nil
	}})
	if err != nil {
		return nil, err
	}
	return &Undone{Journal: j, What: what}, nil
}

// lastChange is the newest personal change that still has its word.
// A reset that came with a resume, or a finish that followed from the last report, counts like any other.
func (e *Engine) lastChange(ctx context.Context, id checkpoint.RunID) (checkpoint.Event, error) {
	lines, err := e.Store.Lines(ctx, id)
	if err != nil {
		return checkpoint.Event{}, err
	}
	for _, l := range slices.Backward(lines) {
		if !l.Bad && slices.Contains(personal, l.Event.Event) {
			return l.Event, nil
		}
	}
	return checkpoint.Event{}, ErrNothingToUndo
}

// undoable finds the run that is meant: the named one, else the one that a person changed last.
func (e *Engine) undoable(ctx context.Context, run string) (checkpoint.RunID, error) {
	if run != "" {
		return e.Resolve(ctx, run)
	}
	all, err := e.summaries(ctx, checkpoint.AllRuns)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(all, func(s Summary) bool { return slices.Contains(personal, s.Run.LastEvent) })
	if i < 0 {
		return "", ErrNothingToUndo
	}
	return all[i].Run.ID, nil
}

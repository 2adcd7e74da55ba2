package candidate

import (
	"context"
	"errors"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
)

// Journal reads the journal of a run; a *LostJournalError says that only the commits of the run are here.
func (e *Finder) Journal(ctx context.Context, id checkpoint.RunID) (*journal.Journal, error) {
	j, err := e.Store.Load(ctx, id)
	var none *checkpoint.NoRunError
	if errors.As(err, &none) && exists(ctx, e.Site, id) {
		return nil, &LostJournalError{Run: id}
	}
	return j, err
}

// ScatteredError says that a run has only commits on other branches here: both its journal and its own branch are missing.
type ScatteredError struct{ Run checkpoint.RunID }

func (e *ScatteredError) Error() string {
	return "of run '" + string(e.Run) + "' only commits on other branches are here, and no branch to continue on"
}

// LostJournalError says that a run is known only by its commits, and that its journal must be rebuilt from them first.
type LostJournalError struct{ Run checkpoint.RunID }

func (e *LostJournalError) Error() string {
	return "the journal of run '" + string(e.Run) + "' is not here; only its commits are here"
}

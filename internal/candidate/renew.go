package candidate

import (
	"context"
	"errors"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
)

// Journal reads the journal of a run. It returns a *LostJournalError if only the commits of the run are in this repository.
func (e *Finder) Journal(ctx context.Context, id checkpoint.RunID) (*journal.Journal, error) {
	j, err := e.Store.Load(ctx, id)
	var none *checkpoint.NoRunError
	if errors.As(err, &none) && exists(ctx, e.Site, id) {
		return nil, &LostJournalError{Run: id}
	}
	return j, err
}

// ScatteredError says that only some commits of a run are here, on other branches. Its journal and its own branch are missing.
type ScatteredError struct{ Run checkpoint.RunID }

func (e *ScatteredError) Error() string {
	return "run '" + string(e.Run) + "' has no branch here to continue on; only some of its commits are here, on other branches"
}

// LostJournalError says that a run is known only from its commits, and that its journal must be rebuilt from them.
type LostJournalError struct{ Run checkpoint.RunID }

func (e *LostJournalError) Error() string {
	return "the record of run '" + string(e.Run) + "' is missing; only its commits exist here"
}

package candidate

import (
	"context"
	"errors"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
)

// Journal reads the journal of a run; *LostJournalError says that only its commits are here.
func (e *Finder) Journal(ctx context.Context, id checkpoint.RunID) (*journal.Journal, error) {
	j, err := e.Store.Load(ctx, id)
	var none *checkpoint.NoRunError
	if errors.As(err, &none) && exists(ctx, e.Site, id) {
		return nil, &LostJournalError{Run: id}
	}
	return j, err
}

// ScatteredError says that commits of a run are part of other branches, and neither its journal nor its branch is here.
type ScatteredError struct{ Run checkpoint.RunID }

func (e *ScatteredError) Error() string {
	return "of run '" + string(e.Run) + "' only commits on other branches are here, and no branch to go on with"
}

// LostJournalError says that a run is known by its commits alone, and must be taken up first.
type LostJournalError struct{ Run checkpoint.RunID }

func (e *LostJournalError) Error() string {
	return "the journal of run '" + string(e.Run) + "' is not here; only its commits tell of it"
}

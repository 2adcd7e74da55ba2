package candidate

import (
	"errors"
	"fmt"

	"github.com/git-resume/git-resume/checkpoint"
)

// ClosedError says that a run is over.
type ClosedError struct {
	ID    checkpoint.RunID
	State checkpoint.State
	// Superseded names the run that took its place, if one did.
	Superseded string
}

func (e *ClosedError) Error() string { return fmt.Sprintf("run '%s' is %s", e.ID, e.State) }

// TextError says that a text cannot be recorded.
type TextError struct{ What, Why string }

func (e *TextError) Error() string { return e.What + " " + e.Why }

// ErrMoved says that something changed between the question and the answer.
var ErrMoved = errors.New("something changed meanwhile")

// ElsewhereOnlyError says that all that is open came from elsewhere, and none of it was named.
type ElsewhereOnlyError struct{ Runs []Summary }

func (e *ElsewhereOnlyError) Error() string {
	if len(e.Runs) == 1 {
		return fmt.Sprintf("run '%s' was not started in this clone by this user; nothing continues it unasked", e.Runs[0].Run.ID)
	}
	return fmt.Sprintf("%d runs are open that were not started in this clone by this user; nothing continues them unasked", len(e.Runs))
}

// MaxLooks bounds how often a line looks anew because its task changed meanwhile.
const MaxLooks = 5

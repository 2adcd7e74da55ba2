package candidate

import (
	"errors"
	"fmt"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/quote"
)

// ClosedError says that a run is over.
type ClosedError struct {
	ID    checkpoint.RunID
	State checkpoint.State
	// Superseded names the run that replaced this one, if any.
	Superseded string
	// Flag is an option that has no effect on a closed run, or empty.
	Flag string
}

func (e *ClosedError) Error() string {
	text := fmt.Sprintf("run '%s' is %s", e.ID, e.State)
	if e.Flag != "" {
		text += fmt.Sprintf(", so %s has no effect", e.Flag)
	}
	return text
}

// TextError says what is wrong: What names the thing, and Why is the rest of the sentence.
type TextError struct{ What, Why string }

func (e *TextError) Error() string { return e.What + " " + e.Why }

// ErrMoved says that the work, a branch or a file changed while a command ran, for example between the question to the user and the answer.
var ErrMoved = errors.New("the work, a branch or a file changed while this command ran; repeat the command")

// ElsewhereOnlyError says that the user named no run, and that every open run was recorded elsewhere.
type ElsewhereOnlyError struct{ Runs []Summary }

func (e *ElsewhereOnlyError) Error() string {
	if len(e.Runs) == 1 {
		return (&checkpoint.ElsewhereError{Run: e.Runs[0].Run.ID, Lack: e.Runs[0].Run.Lack}).Error()
	}
	return fmt.Sprintf("none of the %d open runs counts as yours; name one to see it, and take it over to change it", len(e.Runs))
}

// MaxLooks limits how often a command starts over because the run or HEAD has changed meanwhile.
const MaxLooks = 5

// AmbiguousError says that a command could mean several runs, and that the user did not choose one.
type AmbiguousError struct {
	Given string
	Runs  []Summary
	// Others is true if the command would act on work of other systems and git-resume cannot ask. Then even a single piece must be named.
	Others bool
	// Again is a corrected command: the words after "git resume", with the name of the first run added.
	// At is the index of that name in Again.
	Again []string
	At    int
}

func (e *AmbiguousError) Error() string {
	switch {
	case e.Others && len(e.Runs) == 1:
		return fmt.Sprintf("'%s' belongs to another system; git-resume cannot ask here, so repeat the command with this name", e.Runs[0].Called())
	case e.Others:
		return fmt.Sprintf("%d pieces of work of other systems are open; git-resume cannot ask here, so the command needs the name of one of them", len(e.Runs))
	case e.Given == "":
		return fmt.Sprintf("no run was named, and there are %d to choose from", len(e.Runs))
	}
	return fmt.Sprintf("'%s' could mean %d runs", e.Given, len(e.Runs))
}

// NoneError says that no run is open, or that no run has the given name.
type NoneError struct {
	Given string
	// Finished is a finished run that the command would accept if the user named it. It may be empty.
	Finished checkpoint.RunID
	// Near has the keys of open work that the user may have meant.
	Near []string
}

func (e *NoneError) Error() string {
	if e.Given == "" {
		return "no run is open here"
	}
	return fmt.Sprintf("there is no run '%s'", e.Given)
}

// LeftError says that the work that the user named is only on a branch that is not checked out.
type LeftError struct {
	Given, Key string
	On         refs.Name
}

func (e *LeftError) Error() string {
	return fmt.Sprintf("'%s' is on branch '%s', which is not checked out", quote.Printable(e.Key), quote.Printable(refs.Short(e.On)))
}

// Unwrap returns a NoneError, because there is no such run among the work that is checked out.
func (e *LeftError) Unwrap() error { return &NoneError{Given: e.Given} }

// NoRecordError says that we have no journal of another system's work, because git-resume has not changed or continued it yet.
type NoRecordError struct{ Key string }

func (e *NoRecordError) Error() string {
	return fmt.Sprintf("nothing is recorded about '%s': git-resume has not changed or continued it yet", e.Key)
}

func (e *NoRecordError) Unwrap() error { return &NoneError{Given: e.Key} }

// NotHiddenError says that no hidden work has the name that the user gave.
type NotHiddenError struct{ Given string }

func (e *NotHiddenError) Error() string {
	return fmt.Sprintf("no work named '%s' is hidden here", e.Given)
}

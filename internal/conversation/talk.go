// Package conversation is what "git resume" says and asks between the command line and the handlers:
// it finds the work that is meant, shows what was found, asks what only a person can decide, and lets the handlers act.
// The same steps continue a run of our own, another system's work and git's own operation.
//
// It prints through the screen and hears a person through an interface: cmd provides a terminal, tests provide a list of answers.
package conversation

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/handler"
	"github.com/git-resume/git-resume/internal/screen/page"
)

// Person is the user that the program talks to.
type Person interface {
	// Screen is where everything is shown.
	Screen() page.Page
	// CanAnswer reports whether there is somebody who can be asked.
	CanAnswer() bool
	// Line is the next answer, without surrounding spaces; ok is false at the end of the input and after Ctrl-C.
	Line() (text string, ok bool)
	// Fault shows the error that stopped a command, and returns the exit code for it.
	Fault(error) int
	// WhenSaid registers a function to call after everything has been said.
	WhenSaid(func())
}

// Streams are the streams and the environment for the tasks and tools that a conversation starts.
type Streams struct {
	In       *os.File
	Out, Err io.Writer
	// Env is the environment of this call; Editor says whether it names an editor for git.
	Env    []string
	Editor bool
	// Terminal returns In if it is a terminal that we may hand over, and nil otherwise.
	Terminal func() *os.File
}

// Talk is one conversation: with whom, about which repository, and what the command line has said already.
type Talk struct {
	Context context.Context
	Engine  *handler.Engine
	Person  Person
	Streams Streams
	Options Options
	Clock   func() time.Time
	// changed says that something was done already, so that a no does not leave everything as it was.
	changed bool
	// saved is the snapshot that was made before the user was asked; empty if nothing had to be saved.
	saved string
	// ended says that the input ended at a question, so that nothing more can be asked.
	ended bool
	// newPlan is the plan that the command line names for the run.
	newPlan *assess.PlanChange
}

// tamed is the error stream for tasks: what they print cannot control the terminal.
func (t *Talk) tamed() io.Writer {
	if t.Person.Screen().ErrTerminal {
		return &page.Plain{W: t.Streams.Err}
	}
	return t.Streams.Err
}

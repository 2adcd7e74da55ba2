// Package conversation is what "git resume" says and asks between the command line and the handlers:
// it finds what is meant, shows what was found, asks what only a person can decide, and lets the handlers do it.
// A run of our own, another system's work and git's own operation are continued by the same steps.
//
// It prints through the screen, and hears a person through an interface: cmd gives it a terminal, tests a list of answers.
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

// Person is who the program talks to.
type Person interface {
	// Screen is where everything is shown.
	Screen() page.Page
	// CanAnswer: somebody sits there who can be asked.
	CanAnswer() bool
	// Line is the next answer, without blanks around it; the end of input and Ctrl-C mean q.
	Line() string
	// Fault tells what kept a command from its end, and gives the exit code for it.
	Fault(error) int
	// WhenSaid is given what is to be done once everything was said.
	WhenSaid(func())
}

// Streams are what tasks and tools get that a conversation starts.
type Streams struct {
	In       *os.File
	Out, Err io.Writer
	// Env is the environment of this call, Editor whether it names an editor for git.
	Env    []string
	Editor bool
	// Terminal is In where it is a terminal that is ours to give away, else nil.
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
	// changed: something was done already, so that a no does not leave everything as it was.
	changed bool
	// newPlan is the plan that the command line names for the run.
	newPlan *assess.PlanChange
}

// tamed is the error stream as tasks get it: what they print cannot speak to the terminal.
func (t *Talk) tamed() io.Writer {
	if t.Person.Screen().ErrTerminal {
		return &page.Plain{W: t.Streams.Err}
	}
	return t.Streams.Err
}

// Package conversation connects the command line with the handlers. It finds the work that the user means, shows its state, asks the
// user, and calls the handlers. Questions go through the interface Person, so that tests can answer them.
package conversation

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/handler"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/screen/page"
)

// Person stands for the user of the program. Its methods show output and read answers.
type Person interface {
	// Screen returns the page on which output is shown.
	Screen() page.Page
	// CanAnswer reports whether the program can ask the user. It is false if there is no terminal.
	CanAnswer() bool
	// Line returns the next line that the user types, without surrounding spaces. ok is false at the end of the input and after Ctrl-C.
	Line() (text string, ok bool)
	// Fault shows the error that stopped a command, and returns the exit code for it.
	Fault(error) int
	// StartLooking tells the user about a search for work, if it is slow. EndLooking must be called before anything else is shown.
	StartLooking()
	EndLooking()
	// WhenSaid sets the one function to call after all output has been written. After a failure it is not always called.
	WhenSaid(func())
}

// Streams are the streams and the environment that a command gives to the tasks and tools that it starts.
type Streams struct {
	In       *os.File
	Out, Err io.Writer
	// Env is the environment of this program. Editor is true if that environment names an editor for git.
	Env    []string
	Editor bool
	// Terminal returns the stream In if In is a terminal that a task may use. Otherwise it returns nil.
	Terminal func() *os.File
}

// Talk holds everything that one command needs to talk to the user: the repository, the user, the streams and the flags.
type Talk struct {
	Context context.Context
	Engine  *handler.Engine
	Person  Person
	Streams Streams
	Options Options
	Clock   func() time.Time
	// Executing, if it is set, can change how tasks are executed, and can end the execution with a signal.
	Executing func(q *resume.ExecuteRequest, signals chan<- os.Signal)
	// Lease, if it is set, gets the right to continue a run that is shared through a remote. It returns nil if the run needs no lease.
	Lease func(a *assess.Assessment, w assess.Request) (Leave, error)
	// Brought is uncommitted work from another clone that is put into the worktree before the run continues, or nil.
	Brought *resume.Brought
	// Until is when the time for executing tasks is over; zero if it is not limited.
	Until time.Time
	// leased is true if this command has the lease. goesOn is true if somebody works on the run after this command.
	leased, goesOn bool
	// changed is true if the command has already changed something. If the user then answers no to a question, the program says that
	// nothing else was changed.
	changed bool
	// answered is true if the user has answered a question of the run in this command.
	answered bool
	// saved is the name of the snapshot that was made before the question; empty if there was nothing to save.
	saved string
	// ended is true if the input ended at a question, so that no more questions can be asked.
	ended bool
	// newPlan is the plan that the user gave with --plan.
	newPlan *assess.PlanChange
	// handed is the result of handing the work to a tool; nil if that did not happen.
	handed *resume.Advanced
}

// Leave is called at the end of a command that has a lease. If goesOn is false, it gives the lease back. The argument err is the result of
// the command so far, and the returned error is the final result.
type Leave func(err error, goesOn bool) error

// tamed returns the error stream for the output of tasks. On a terminal, it removes control characters.
func (t *Talk) tamed() io.Writer {
	if t.Person.Screen().ErrTerminal {
		return &page.Plain{W: t.Streams.Err}
	}
	return t.Streams.Err
}

// report returns the screen for what was found out about work. That is stderr, so that stdout has only the results of the command, such as
// the brief. With --dry-run alone, the report is the result.
func (t *Talk) report() page.Page {
	if t.Options.DryRun && !t.Options.Print {
		return t.Person.Screen()
	}
	return t.Person.Screen().OnErr()
}

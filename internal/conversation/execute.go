package conversation

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/screen/outcome"
	"github.com/git-resume/git-resume/internal/screen/prompt"
	"github.com/git-resume/git-resume/internal/screen/undo"
	"github.com/git-resume/git-resume/internal/tasks"
	"github.com/git-resume/git-resume/worktree/trash"
)

// Execute runs the tasks of a run. Unlike "git resume", it does not show where the run stopped.
func Execute(t *Talk, id checkpoint.RunID, q resume.ExecuteRequest) (*resume.Executed, error) {
	return continuing{t}.execute(id, q)
}

func (t continuing) execute(id checkpoint.RunID, q resume.ExecuteRequest) (*resume.Executed, error) {
	done := t.executing(&q)
	defer done()
	return t.Engine.Executing.Execute(t.executionContext(), id, q)
}

// executionContext returns a context that Ctrl-C does not cancel. Signals reach the tasks, but our git processes must finish the record.
func (t continuing) executionContext() context.Context { return context.WithoutCancel(t.Context) }

// executing sets what every execution needs, such as signals and environment. The returned function must be called afterwards.
func (t continuing) executing(q *resume.ExecuteRequest) (done func()) {
	signals, done := Heed(t.Engine.Repo)
	q.Signals, q.Env = signals, t.Streams.Env
	q.AskAbout = prompt.NotTaken
	q.KeepGoing, q.NoVerify, q.Jobs = t.Options.KeepGoing, t.Options.NoVerify, t.Options.Jobs
	if q.Watch == nil {
		q.Watch = &outcome.Progress{
			Screen: t.Person.Screen(), Clock: t.Clock, Out: t.tamed(), Err: t.tamed(),
			Terminal: !t.Options.Verbose && t.Person.Screen().ErrTerminal,
		}
	}
	if t.Executing != nil {
		t.Executing(q, signals)
	}
	return done
}

// Heed catches the signals that end a program, so that the caller can handle them. They do not end our git processes. SIGPIPE is ignored.
func Heed(repo *gitstate.Repo) (signals chan os.Signal, done func()) {
	repo.Shield()
	signals = make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	return signals, func() {
		signal.Stop(signals)
		signal.Stop(broken)
	}
}

// rest shows where an execution stopped, and returns the matching exit code.
func (t continuing) rest(x *resume.Executed, err error) error {
	if err != nil {
		return t.halted(x, err)
	}
	outcome.Executed(t.Person.Screen(), x)
	if x.Journal.Run.Finished {
		(&journal.Store{Repo: t.Engine.Repo}).Folder().ClearUnreported(x.Journal.Run.ID)
		undo.Unfinished(t.Person.Screen(), trash.Unfinished(t.Engine.Repo, string(x.Journal.Run.ID)))
	}
	switch {
	case x.Stopped:
		return exit.Code(exit.Interrupted)
	case len(x.Failed) > 0, x.SetupFailed, x.Step.Kind == tasks.StepStuck:
		return exit.Code(exit.Failed)
	case x.Paused:
		return exit.Code(exit.No)
	case x.Step.Kind == tasks.StepAsk:
		return exit.Code(exit.Waiting)
	case x.Step.Kind == tasks.StepConfirm:
		return exit.Code(exit.Decide)
	}
	return nil
}

// Halted shows the error that ended an execution, and the command that continues the run.
func Halted(t *Talk, x *resume.Executed, err error) error { return continuing{t}.halted(x, err) }

// halted shows the error that ended an execution, and how to continue. If another process owns the run now, it only returns the error.
func (t continuing) halted(x *resume.Executed, err error) error {
	var held *owner.HeldError
	var fenced *journal.FencedError
	if x == nil || x.Journal == nil || errors.As(err, &held) || errors.As(err, &fenced) {
		return err
	}
	code := t.Person.Fault(err)
	outcome.Stop(t.Person.Screen(), &x.Journal.Run)
	return exit.Code(code)
}

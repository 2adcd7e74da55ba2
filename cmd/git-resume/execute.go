package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/handler"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/handler/start"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/tasks"
	"github.com/git-resume/git-resume/worktree/trash"
)

// executionFlags are those of every command that runs tasks.
func executionFlags() []cli.Flag {
	return []cli.Flag{&cli.BoolFlag{Name: "keep-going"}, &cli.BoolFlag{Name: "no-verify"}, &cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}}}
}

// execute runs the tasks of a run and says where it came to rest.
func (p *program) execute(c *cli.Context, e *handler.Engine, id checkpoint.RunID, q resume.ExecuteRequest) (*resume.Executed, error) {
	done := p.executing(c, &q)
	defer done()
	return e.Executing.Execute(p.executionContext(), id, q)
}

// executionContext outlives Ctrl-C: signals reach the tasks, not our own git children,
// which must bring the record to its end.
func (p *program) executionContext() context.Context { return context.WithoutCancel(p.ctx) }

// executing fills in what every execution needs; done ends it.
func (p *program) executing(c *cli.Context, q *resume.ExecuteRequest) (done func()) {
	signals, done := p.heed()
	q.Signals, q.Env = signals, p.env
	q.KeepGoing, q.NoVerify = c.Bool("keep-going"), c.Bool("no-verify")
	if q.Watch == nil {
		q.Watch = &screen.Progress{
			Screen: p.screen(), Clock: clock, Out: tame(p.err), Err: tame(p.err),
			Terminal: !c.Bool("verbose") && isTerminal(p.err),
		}
	}
	return done
}

// heed takes the signals that are meant for tasks, and keeps them from our own git processes.
// A reader of our output that went away (SIGPIPE) must not end us either: the record goes on.
func (p *program) heed() (signals chan os.Signal, done func()) {
	p.repo.Shield()
	signals = make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	return signals, func() {
		signal.Stop(signals)
		signal.Stop(broken)
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := raw(w).(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// tame keeps what a task prints from speaking to the terminal.
func tame(w io.Writer) io.Writer {
	if isTerminal(w) {
		return &page.Plain{W: w}
	}
	return w
}

// rest turns where an execution came to rest into words and a code.
func (p *program) rest(x *resume.Executed, err error) error {
	if err != nil {
		return p.halted(x, err)
	}
	screen.Executed(p.screen(), x)
	if x.Journal.Run.Finished {
		(&journal.Store{Repo: p.repo}).Folder().Told(x.Journal.Run.ID)
		screen.Unfinished(p.screen(), trash.Unfinished(p.repo, string(x.Journal.Run.ID)))
	}
	switch {
	case x.Stopped:
		return exitCode(codeInterrupted)
	case len(x.Failed) > 0, x.SetupFailed:
		return exitCode(codeFailed)
	case x.Step.Kind == tasks.StepAsk:
		return exitCode(codeWaiting)
	case x.Step.Kind == tasks.StepConfirm:
		return exitCode(codeDecide)
	case x.Step.Kind == tasks.StepStuck:
		return exitCode(codeFailed)
	}
	return nil
}

// halted tells of a fault that ended an execution, and how to go on; a run that somebody else has is not stopped.
func (p *program) halted(x *resume.Executed, err error) error {
	var held *owner.HeldError
	var fenced *journal.FencedError
	if x == nil || x.Journal == nil || errors.As(err, &held) || errors.As(err, &fenced) {
		return err
	}
	code := p.fault(err)
	screen.Stop(p.screen(), &x.Journal.Run)
	return exitCode(code)
}

func (p *program) runCommand() *cli.Command {
	flags := append([]cli.Flag{&cli.StringFlag{Name: "name"}, &cli.BoolFlag{Name: "staging"}, &cli.BoolFlag{Name: "new"}, timeoutFlag()}, executionFlags()...)
	return p.command("run", flags, func(c *cli.Context) error {
		if err := nargs(c, 1, -1, "run [--name NAME] [--staging] -- COMMAND..."); err != nil {
			return err
		}
		args := c.Args().Slice()
		if err := notEmpty(args); err != nil {
			return err
		}
		name := cmp.Or(c.String("name"), runName(args))
		limit, err := timeLimit(c)
		if err != nil {
			return err
		}
		e, err := p.engine()
		if err != nil {
			return err
		}
		st, err := e.Starting.Start(p.ctx, start.Request{
			Name: name, Unnamed: c.String("name") == "", Command: shellJoin(args), Timeout: limit,
			Here: !c.Bool("staging"), New: c.Bool("new"), Auto: true, Hold: true,
		})
		if err != nil {
			return err
		}
		q := p.attached()
		q.Timeout, q.Held = limit, st.Held
		if !c.Bool("staging") {
			q.Doubt = tasks.Keep // who repeats the command where they stand wants it to run
		}
		x, err := p.execute(c, e, st.Journal.Run.ID, q)
		if err != nil {
			return p.halted(x, err)
		}
		return p.passOn(x, q.TTY)
	})
}

// notEmpty refuses a command without a name: most likely it is a script's variable that holds nothing.
func notEmpty(args []string) error {
	if strings.TrimSpace(args[0]) == "" {
		return usagef("the command is empty")
	}
	return nil
}

func timeoutFlag() cli.Flag { return &cli.StringFlag{Name: "timeout"} }

// timeLimit is how long a single command may take; zero means as long as it wants.
func timeLimit(c *cli.Context) (time.Duration, error) {
	text := c.String("timeout")
	if text == "" && !c.IsSet("timeout") {
		return 0, nil
	}
	limit, err := time.ParseDuration(text)
	if err != nil || limit <= 0 {
		return 0, usagef("--timeout '%s' is no length of time; write a number with a unit, for example 90s, 10m or 2h", printable(text))
	}
	return limit, nil
}

// attached gives a single command the terminal and the streams as they are.
func (p *program) attached() resume.ExecuteRequest {
	q := resume.ExecuteRequest{Watch: &bare{p}, Stdin: os.Stdin}
	if isTerminal(os.Stdin) && proc.Foreground(os.Stdin) {
		q.TTY = os.Stdin
	}
	return q
}

// passOn ends with the command's own code.
func (p *program) passOn(x *resume.Executed, tty *os.File) error {
	screen.Executed(p.screen(), x)
	switch {
	case x.Stopped:
		return p.interrupted(x.Last, tty)
	case x.Last == nil || x.Last.State == checkpoint.Done:
		return nil
	case x.Last.Cause == execution.CauseExit:
		return exitCode(x.Last.Ended.Code)
	default:
		return exitCode(codeFailed)
	}
}

// interrupted ends a command that was stopped from outside.
// A key typed at the terminal went to the command alone, which had it: whoever called us hears of it now,
// so that a script ends as it would have without us.
func (p *program) interrupted(out *execution.Outcome, tty *os.File) error {
	if tty != nil && out != nil && out.Cause == execution.CauseInterrupt && out.Ended.Signal != "" {
		p.close()
		proc.SignalGroup(os.Interrupt)
	}
	return exitCode(codeInterrupted)
}

// shellJoin writes arguments as one command line that the shell reads back to the same arguments.
func shellJoin(args []string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = quote.Exact(a)
	}
	return strings.Join(quoted, " ")
}

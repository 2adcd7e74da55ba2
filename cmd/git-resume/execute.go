package main

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/report"
	"github.com/git-resume/git-resume/internal/resume"
)

// executionFlags are those of every command that runs tasks.
func executionFlags() []cli.Flag {
	return []cli.Flag{&cli.BoolFlag{Name: "keep-going"}, &cli.BoolFlag{Name: "no-verify"}, &cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}}}
}

// execute runs the tasks of a run and says where it came to rest.
func (p *program) execute(c *cli.Context, e *resume.Engine, id checkpoint.RunID, q resume.ExecuteRequest) (*resume.Executed, error) {
	done := p.executing(c, &q)
	defer done()
	return e.Execute(p.executionContext(), id, q)
}

// executionContext outlives Ctrl-C: signals reach the tasks, not our own git children,
// which must bring the record to its end.
func (p *program) executionContext() context.Context { return context.WithoutCancel(p.ctx) }

// executing fills in what every execution needs; done ends it.
func (p *program) executing(c *cli.Context, q *resume.ExecuteRequest) (done func()) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	q.Signals, q.Env = signals, p.env
	q.KeepGoing, q.NoVerify = c.Bool("keep-going"), c.Bool("no-verify")
	if q.Watch == nil {
		q.Watch = &report.Progress{
			Screen: p.screen(), Clock: time.Now, Out: p.err, Err: p.err,
			Terminal: !c.Bool("verbose") && term.IsTerminal(int(os.Stderr.Fd())),
		}
	}
	return func() { signal.Stop(signals) }
}

// rest turns where an execution came to rest into words and a code.
func (p *program) rest(x *resume.Executed, err error) error {
	if err != nil {
		return err
	}
	p.screen().Executed(x)
	switch {
	case x.Stopped:
		return exitCode(codeInterrupted)
	case len(x.Failed) > 0:
		return exitCode(codeFailed)
	case x.Step.Kind == resume.StepAsk:
		return exitCode(codeWaiting)
	case x.Step.Kind == resume.StepStuck:
		return exitCode(codeFailed)
	}
	return nil
}

func (p *program) runCommand() *cli.Command {
	flags := append([]cli.Flag{&cli.StringFlag{Name: "name"}, &cli.BoolFlag{Name: "staging"}, &cli.BoolFlag{Name: "new"}}, executionFlags()...)
	return p.command("run", "run one command, resumably", flags, func(c *cli.Context) error {
		if err := nargs(c, 1, -1, "run [--name NAME] [--staging] -- COMMAND..."); err != nil {
			return err
		}
		args := c.Args().Slice()
		name := c.String("name")
		if name == "" {
			name = filepath.Base(args[0])
		}
		e, err := p.engine()
		if err != nil {
			return err
		}
		st, err := e.Start(p.ctx, resume.StartRequest{
			Name: name, Command: shellJoin(args), Here: !c.Bool("staging"), New: c.Bool("new"), Auto: true,
		})
		if err != nil {
			return err
		}
		x, err := p.execute(c, e, st.Journal.Run.ID, p.attached())
		if err != nil {
			return err
		}
		return p.passOn(x)
	})
}

// attached gives a single command the terminal and the streams as they are.
func (p *program) attached() resume.ExecuteRequest {
	q := resume.ExecuteRequest{Watch: &bare{p}, Stdin: os.Stdin, Doubt: plan.Retry}
	if term.IsTerminal(int(os.Stdin.Fd())) {
		q.TTY = os.Stdin
	}
	return q
}

// passOn ends with the command's own code.
func (p *program) passOn(x *resume.Executed) error {
	p.screen().Executed(x)
	switch {
	case x.Stopped:
		return exitCode(codeInterrupted)
	case x.Last == nil || x.Last.State == checkpoint.Done:
		return nil
	case x.Last.Cause == execution.CauseExit:
		return exitCode(x.Last.Ended.Code)
	default:
		return exitCode(codeFailed)
	}
}

// shellJoin writes arguments as one command line that the shell reads back to the same arguments.
func shellJoin(args []string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = report.QuoteShell(a)
	}
	return strings.Join(quoted, " ")
}

func (p *program) trustCommand() *cli.Command {
	return p.command("trust", "approve the commands of a run", []cli.Flag{runFlag()}, func(c *cli.Context) error {
		run, err := oneRun(c, "trust RUN")
		if err != nil {
			return err
		}
		if run == "" {
			return usagef("usage: git resume trust RUN")
		}
		e, err := p.engine()
		if err != nil {
			return err
		}
		r, commands, err := e.Trust(p.ctx, run)
		if err == nil {
			p.screen().Trusted(r, commands)
		}
		return err
	})
}

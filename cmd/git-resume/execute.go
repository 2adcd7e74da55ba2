package main

import (
	"cmp"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/conversation"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/handler/start"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/outcome"
)

func (cs commands) runCommand() *cli.Command {
	flags := append([]cli.Flag{&cli.StringFlag{Name: "name"}, &cli.BoolFlag{Name: "staging"}, &cli.BoolFlag{Name: "new"}, timeoutFlag()}, executionFlags()...)
	return cs.command("run", flags, func(c *cli.Context) error {
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
		t, err := cs.call.talk(c)
		if err != nil {
			return err
		}
		st, err := t.Engine.Starting.Start(cs.call.ctx, start.Request{
			Name: name, Unnamed: c.String("name") == "", Command: shellJoin(args), Timeout: limit,
			Here: !c.Bool("staging"), New: c.Bool("new"), Auto: true, Hold: true, KeepGoing: c.Bool("keep-going"),
		})
		if err != nil {
			return err
		}
		q := cs.call.attached()
		q.Timeout, q.Held, q.EndsPause = limit, st.Held, st.Journal.Run.Paused
		q.Doubt = plan.Retry // if an earlier attempt was interrupted, the command starts again from a clean tree, as it did then
		x, err := conversation.Execute(t, st.Journal.Run.ID, q)
		if err != nil {
			return conversation.Halted(t, x, err)
		}
		return cs.call.passOn(x, q.TTY)
	})
}

// The method "attached" returns a request that gives the terminal and the standard input directly to a single command.
func (p *program) attached() resume.ExecuteRequest {
	return resume.ExecuteRequest{Watch: &bare{p}, Stdin: os.Stdin, TTY: ownTerminal()}
}

// passOn prints the outcome of the user's command. It returns an error with the exit code with which git-resume must end, or nil for
// success. If the command itself ended with an exit code that means failure, git-resume ends with the same exit code.
func (p *program) passOn(x *resume.Executed, tty *os.File) error {
	outcome.Executed(p.Screen(), x)
	switch {
	case x.Stopped:
		return p.interrupted(x.Last, tty)
	case x.Paused && len(x.Failed) == 0:
		return exit.Code(exit.No)
	case x.Last == nil || x.Last.State == checkpoint.Done:
		return nil
	case x.Last.Cause == execution.CauseExit:
		return exit.Code(x.Last.Ended.Code)
	default:
		return exit.Code(exit.Failed)
	}
}

// interrupted returns the exit code for an interrupted command. If the user's interrupt killed a command that had the terminal, our own
// process group gets an interrupt too. So a calling script stops.
func (p *program) interrupted(out *execution.Outcome, tty *os.File) error {
	if tty != nil && out != nil && out.Cause == execution.CauseInterrupt && out.Ended.Signal != "" {
		p.close()
		proc.SignalGroup(os.Interrupt)
	}
	return exit.Code(exit.Interrupted)
}

// shellJoin returns a command line that a shell splits into the given arguments.
func shellJoin(args []string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = quote.Exact(a)
	}
	return strings.Join(quoted, " ")
}

package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/handler/reporting"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/screen"
)

func (p *program) taskCommand() *cli.Command {
	cmd := p.command("task", nil, func(*cli.Context) error {
		return usagef("usage: git resume task start|done|fail|block|skip|reset|run TASK")
	})
	message := &cli.StringFlag{Name: "message", Aliases: []string{"m"}}
	title := &cli.StringFlag{Name: "title"}
	add := &cli.BoolFlag{Name: "add"}
	cmd.Subcommands = []*cli.Command{
		p.report(reporting.Start, add, title),
		p.report(reporting.Done, add, title, message, &cli.BoolFlag{Name: "no-verify"}),
		p.report(reporting.Fail, message, &cli.StringFlag{Name: "cause"}, &cli.StringFlag{Name: "until"}, &cli.IntFlag{Name: "exit-code"}),
		p.report(reporting.Block, add, title, message, &cli.StringFlag{Name: "ask"}, &cli.StringSliceFlag{Name: "option"}),
		p.report(reporting.Skip, message),
		p.report(reporting.Reset, message),
		p.taskRunCommand(),
	}
	return cmd
}

// report builds one "task VERB" command.
func (p *program) report(verb reporting.Verb, flags ...cli.Flag) *cli.Command {
	flags = append(flags, runFlag(), ownerFlag(), &cli.BoolFlag{Name: "takeover"})
	return p.command("task "+string(verb), flags, func(c *cli.Context) error {
		most := 1
		if verb == reporting.Done {
			most = -1
		}
		if err := nargs(c, 1, most, "task "+string(verb)+" TASK"); err != nil {
			return err
		}
		q := reporting.TaskReport{
			Run: c.String("run"), Task: c.Args().First(), Verb: verb, Paths: c.Args().Tail(),
			Message: c.String("message"), Title: c.String("title"), Add: c.Bool("add"), NoVerify: c.Bool("no-verify"),
			Cause: c.String("cause"), Until: c.String("until"), Ask: c.String("ask"), Options: c.StringSlice("option"),
			Owner: c.Int("owner"), Takeover: c.Bool("takeover"),
		}
		if c.IsSet("exit-code") {
			n := c.Int("exit-code")
			q.ExitCode = &n
		}
		if verb == reporting.Block && q.Ask == "" && q.Message == "" {
			return usagef("block needs --ask TEXT")
		}
		if q.Takeover && q.Run == "" {
			return usagef("--takeover needs --run with the run's id")
		}
		e, err := p.engine()
		if err != nil {
			return err
		}
		rep, err := e.Reporting.Report(p.ctx, q)
		if err != nil {
			return err
		}
		screen.Reported(p.screen(), verb, rep)
		return nil
	})
}

func (p *program) taskRunCommand() *cli.Command {
	flags := []cli.Flag{
		runFlag(), ownerFlag(), &cli.BoolFlag{Name: "takeover"}, &cli.BoolFlag{Name: "add"}, &cli.StringFlag{Name: "title"},
		&cli.StringFlag{Name: "message", Aliases: []string{"m"}}, &cli.BoolFlag{Name: "no-verify"},
		&cli.StringFlag{Name: "verify"}, &cli.BoolFlag{Name: "retry"}, &cli.BoolFlag{Name: "keep"}, timeoutFlag(),
	}
	return p.command("task run", flags, func(c *cli.Context) error {
		if err := nargs(c, 2, -1, "task run TASK [--verify COMMAND] -- COMMAND..."); err != nil {
			return err
		}
		if err := notEmpty(c.Args().Tail()); err != nil {
			return err
		}
		limit, err := timeLimit(c)
		if err != nil {
			return err
		}
		e, err := p.engine()
		if err != nil {
			return err
		}
		signals, done := p.heed()
		defer done()
		at := p.attached()
		ran, err := e.Reporting.RunTask(context.WithoutCancel(p.ctx), reporting.TaskRunRequest{
			TaskReport: reporting.TaskReport{
				Run: c.String("run"), Task: c.Args().First(), Message: c.String("message"), Title: c.String("title"),
				Add: c.Bool("add"), NoVerify: c.Bool("no-verify"), Owner: c.Int("owner"), Takeover: c.Bool("takeover"),
			},
			Args: c.Args().Tail(), Check: c.String("verify"), Timeout: limit, Doubt: doubtFlag(c), Env: p.env, Signals: signals,
			Out: p.stream(), Err: p.err, Stdin: at.Stdin, TTY: at.TTY,
		})
		if err != nil {
			return p.lineHalted(ran, err)
		}
		screen.TaskRan(p.screen(), ran)
		if o := ran.Outcome; o != nil && (o.State == checkpoint.Active || o.Late != "") {
			return p.interrupted(o, at.TTY)
		}
		return taskCode(ran)
	})
}

// lineHalted tells of a fault that came after the line had begun.
func (p *program) lineHalted(ran *reporting.TaskRan, err error) error {
	if ran == nil {
		return err
	}
	return p.halted(&resume.Executed{Journal: ran.Journal}, err)
}

// taskCode passes on the command's own code.
func taskCode(ran *reporting.TaskRan) error {
	o := ran.Outcome
	switch {
	case o == nil || o.State == checkpoint.Done:
		return nil
	case o.Cause == execution.CauseExit:
		return exitCode(o.Ended.Code)
	default:
		return exitCode(codeFailed)
	}
}

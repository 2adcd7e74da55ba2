package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/conversation"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler/reporting"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/screen/outcome"
)

func (cs commands) taskCommand() *cli.Command {
	cmd := cs.command("task", nil, func(*cli.Context) error {
		return exit.Usagef("an argument is missing\nusage: git resume task add|start|done|fail|block|skip|reset|run TASK")
	})
	message := &cli.StringFlag{Name: "message", Aliases: []string{"m"}}
	title := &cli.StringFlag{Name: "title"}
	add := &cli.BoolFlag{Name: "add"}
	cmd.Subcommands = []*cli.Command{
		cs.report(reporting.Add, title),
		cs.report(reporting.Start, add, title),
		cs.report(reporting.Done, add, title, message, &cli.BoolFlag{Name: "no-verify"}),
		cs.report(reporting.Fail, message, &cli.StringFlag{Name: "cause"}, &cli.StringFlag{Name: "until"}, &cli.IntFlag{Name: "exit-code"}),
		cs.report(reporting.Block, add, title, message, &cli.StringFlag{Name: "ask"}, repeatedFlag("option")),
		cs.report(reporting.Skip, message),
		cs.report(reporting.Reset, message),
		cs.taskRunCommand(),
	}
	return cmd
}

// report builds one "task VERB" command.
func (cs commands) report(verb reporting.Verb, flags ...cli.Flag) *cli.Command {
	flags = append(flags, runFlag(), ownerFlag(), &cli.BoolFlag{Name: "takeover"})
	return cs.command("task "+string(verb), flags, func(c *cli.Context) error {
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
			Cause: c.String("cause"), Until: c.String("until"), Ask: c.String("ask"), Options: allOf(c, "option"),
			Owner: c.Int("owner"), Takeover: c.Bool("takeover"),
		}
		if c.IsSet("exit-code") {
			n := c.Int("exit-code")
			q.ExitCode = &n
		}
		if verb == reporting.Block && q.Ask == "" && q.Message == "" {
			return exit.Usagef("block needs --ask TEXT")
		}
		if q.Takeover && q.Run == "" {
			return exit.Usagef("--takeover needs --run with the run's id")
		}
		e, err := cs.call.engine()
		if err != nil {
			return err
		}
		rep, err := e.Reporting.Report(cs.call.ctx, q)
		if err != nil {
			return err
		}
		outcome.Reported(cs.call.Screen(), verb, rep)
		return nil
	})
}

func (cs commands) taskRunCommand() *cli.Command {
	flags := []cli.Flag{
		runFlag(), ownerFlag(), &cli.BoolFlag{Name: "takeover"}, &cli.BoolFlag{Name: "add"}, &cli.StringFlag{Name: "title"},
		&cli.StringFlag{Name: "message", Aliases: []string{"m"}}, &cli.BoolFlag{Name: "no-verify"},
		&cli.StringFlag{Name: "verify"}, &cli.BoolFlag{Name: "retry"}, &cli.BoolFlag{Name: "keep"}, timeoutFlag(),
	}
	return cs.command("task run", flags, func(c *cli.Context) error {
		if err := nargs(c, 2, -1, "task run TASK [--verify COMMAND] -- COMMAND..."); err != nil {
			return err
		}
		if err := notEmpty(c.Args().Tail()); err != nil {
			return err
		}
		if c.Bool("takeover") && c.String("run") == "" {
			return exit.Usagef("--takeover needs --run with the run's id")
		}
		limit, err := timeLimit(c)
		if err != nil {
			return err
		}
		t, err := cs.call.talk(c)
		if err != nil {
			return err
		}
		signals, done := conversation.Heed(cs.call.repo)
		defer done()
		at := cs.call.attached()
		ran, err := t.Engine.Reporting.RunTask(context.WithoutCancel(cs.call.ctx), reporting.TaskRunRequest{
			TaskReport: reporting.TaskReport{
				Run: c.String("run"), Task: c.Args().First(), Message: c.String("message"), Title: c.String("title"),
				Add: c.Bool("add"), NoVerify: c.Bool("no-verify"), Owner: c.Int("owner"), Takeover: c.Bool("takeover"),
			},
			Args: c.Args().Tail(), Check: c.String("verify"), Timeout: limit, Doubt: t.Options.Doubt(), Env: cs.call.env, Signals: signals,
			Out: cs.call.stream(), Err: cs.call.err, Stdin: at.Stdin, TTY: at.TTY,
		})
		if err != nil {
			return lineHalted(t, ran, err)
		}
		outcome.TaskRan(cs.call.Screen(), ran)
		if ran.Journal != nil && ran.Journal.Run.Finished {
			t.Engine.Store.Folder().ClearUnreported(ran.Journal.Run.ID)
		}
		if o := ran.Outcome; o != nil && (o.State == checkpoint.Active || o.Late != "") {
			return cs.call.interrupted(o, at.TTY)
		}
		return taskCode(ran)
	})
}

// lineHalted prints an error that occurred after the task's command was started. It returns any other error unchanged.
func lineHalted(t *conversation.Talk, ran *reporting.TaskRan, err error) error {
	if ran == nil {
		return err
	}
	return conversation.Halted(t, &resume.Executed{Journal: ran.Journal}, err)
}

// taskCode returns nil if the task is done. If the task failed because its command returned an error, taskCode returns the exit code of
// that command. Otherwise it returns exit.Failed.
func taskCode(ran *reporting.TaskRan) error {
	o := ran.Outcome
	switch {
	case o == nil || o.State == checkpoint.Done:
		return nil
	case o.Cause == execution.CauseExit:
		return exit.Code(o.Ended.Code)
	default:
		return exit.Code(exit.Failed)
	}
}

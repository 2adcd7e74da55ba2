package main

import (
	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/internal/resume"
)

func (p *program) taskCommand() *cli.Command {
	cmd := p.command("task", "report about a task", nil, func(*cli.Context) error {
		return usagef("usage: git resume task start|done|fail|block|skip|reset TASK")
	})
	message := &cli.StringFlag{Name: "message", Aliases: []string{"m"}}
	title := &cli.StringFlag{Name: "title"}
	add := &cli.BoolFlag{Name: "add"}
	cmd.Subcommands = []*cli.Command{
		p.report(resume.Start, "a task begins", add, title),
		p.report(resume.Done, "a task is done; commits its changes", add, title, message, &cli.BoolFlag{Name: "no-verify"}),
		p.report(resume.Fail, "a task failed", message, &cli.StringFlag{Name: "cause"}, &cli.StringFlag{Name: "until"}, &cli.IntFlag{Name: "exit-code"}),
		p.report(resume.Block, "a task needs an answer", add, title, message, &cli.StringFlag{Name: "ask"}, &cli.StringSliceFlag{Name: "option"}),
		p.report(resume.Skip, "a task is left out", message),
		p.report(resume.Reset, "a task is open again", message),
	}
	return cmd
}

// report builds one "task VERB" command.
func (p *program) report(verb resume.Verb, usage string, flags ...cli.Flag) *cli.Command {
	flags = append(flags, runFlag(), ownerFlag(), &cli.BoolFlag{Name: "takeover"})
	return p.command(string(verb), usage, flags, func(c *cli.Context) error {
		most := 1
		if verb == resume.Done {
			most = -1
		}
		if err := nargs(c, 1, most, "task "+string(verb)+" TASK"); err != nil {
			return err
		}
		q := resume.TaskReport{
			Run: c.String("run"), Task: c.Args().First(), Verb: verb, Paths: c.Args().Tail(),
			Message: c.String("message"), Title: c.String("title"), Add: c.Bool("add"), NoVerify: c.Bool("no-verify"),
			Cause: c.String("cause"), Until: c.String("until"), Ask: c.String("ask"), Options: c.StringSlice("option"),
			Owner: c.Int("owner"), Takeover: c.Bool("takeover"),
		}
		if c.IsSet("exit-code") {
			n := c.Int("exit-code")
			q.ExitCode = &n
		}
		if verb == resume.Block && q.Ask == "" && q.Message == "" {
			return usagef("block needs --ask TEXT")
		}
		if q.Takeover && q.Run == "" {
			return usagef("--takeover needs --run with the run's id")
		}
		e, err := p.engine()
		if err != nil {
			return err
		}
		rep, err := e.Report(p.ctx, q)
		if err != nil {
			return err
		}
		p.screen().Reported(verb, rep)
		return nil
	})
}

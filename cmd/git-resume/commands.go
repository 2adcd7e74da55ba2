package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/cmd/git-resume/early"
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/conversation"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler"
	"github.com/git-resume/git-resume/internal/handler/reporting"
	"github.com/git-resume/git-resume/internal/handler/start"
	"github.com/git-resume/git-resume/internal/remotework"
	"github.com/git-resume/git-resume/internal/screen/outcome"
	"github.com/git-resume/git-resume/internal/screen/undo"
	"github.com/git-resume/git-resume/worktree/trash"
)

func (cs commands) startCommand() *cli.Command {
	flags := []cli.Flag{
		&cli.StringFlag{Name: "name"}, repeatedFlag("task"), &cli.StringFlag{Name: "base"},
		&cli.BoolFlag{Name: "here"}, &cli.BoolFlag{Name: "take"}, &cli.BoolFlag{Name: "new"}, &cli.BoolFlag{Name: "auto"}, &cli.StringFlag{Name: "mode"}, ownerFlag(), jobsFlag(),
	}
	flags = slices.Concat(flags, timeFlags(), executionFlags())
	return cs.command("start", flags, func(c *cli.Context) error {
		if err := nargs(c, 0, 1, "start PLAN | start --name NAME [--task TASK]..."); err != nil {
			return err
		}
		q := start.Request{
			PlanFile: c.Args().First(), Name: c.String("name"), Tasks: allOf(c, "task"),
			Base: c.String("base"), New: c.Bool("new"), Here: c.Bool("here"), Take: c.Bool("take"), Auto: c.Bool("auto"), Owner: c.Int("owner"),
			Jobs: c.Int("jobs"), KeepGoing: c.Bool("keep-going"), Hold: true,
		}
		switch {
		case q.PlanFile == "" && q.Name == "":
			return exit.Usagef("start needs a plan file or --name")
		case q.Here && q.Take:
			return exit.Usagef("--take and --here cannot be used together: --here makes no new worktree into which changes could be copied")
		case q.PlanFile != "" && len(q.Tasks) > 0:
			return exit.Usagef("--task can only be used with --name, not with a plan file")
		}
		until, err := endOfTime(c, early.Now())
		if err != nil {
			return err
		}
		t, err := cs.call.talk(c)
		if err != nil {
			return err
		}
		if q.Mode, err = t.Options.Named(); err != nil {
			return err
		}
		return remotework.Within(t, until, func() error { return conversation.Start(t, q) })
	})
}

func (cs commands) pauseCommand() *cli.Command {
	flags := []cli.Flag{runFlag(), &cli.StringFlag{Name: "message", Aliases: []string{"m"}}}
	return cs.command("pause", flags, func(c *cli.Context) error {
		run, err := oneRun(c, "pause [RUN]")
		if err != nil {
			return err
		}
		e, err := cs.call.engine()
		if err != nil {
			return err
		}
		p, err := e.Reporting.Pause(cs.call.ctx, run, c.String("message"))
		if err == nil {
			outcome.Paused(cs.call.Screen(), p)
		}
		return err
	})
}

func (cs commands) finishCommand() *cli.Command {
	return cs.command("finish", []cli.Flag{runFlag()}, func(c *cli.Context) error {
		run, err := oneRun(c, "finish [RUN]")
		if err != nil {
			return err
		}
		e, err := cs.call.engine()
		if err != nil {
			return err
		}
		j, err := e.Reporting.Finish(cs.call.ctx, run)
		if err == nil {
			outcome.Finished(cs.call.Screen(), &j.Run)
			e.Store.Folder().ClearUnreported(j.Run.ID)
			undo.Unfinished(cs.call.Screen(), trash.Unfinished(cs.call.repo, string(j.Run.ID)))
		}
		return err
	})
}

func (cs commands) answerCommand() *cli.Command {
	return cs.command("answer", []cli.Flag{runFlag(), &cli.StringFlag{Name: "text"}, &cli.BoolFlag{Name: "force"}}, func(c *cli.Context) error {
		const form = "answer TASK ANSWER, or answer TASK --text TEXT"
		own := c.IsSet("text")
		want := 2
		if own {
			want = 1
		}
		if err := nargs(c, want, want, form); err != nil {
			return err
		}
		q := adopt.AnswerRequest{Run: c.String("run"), Task: c.Args().Get(0), Text: c.Args().Get(1), Own: own}
		if own {
			q.Text = c.String("text")
		}
		t, err := cs.call.talk(c)
		if err != nil {
			return err
		}
		return conversation.Answer(t, q)
	})
}

func (cs commands) checkpointCommand() *cli.Command {
	flags := []cli.Flag{
		runFlag(), ownerFlag(), &cli.BoolFlag{Name: "commit"}, &cli.BoolFlag{Name: "no-verify"},
		&cli.StringFlag{Name: "message", Aliases: []string{"m"}},
	}
	return cs.command("checkpoint", flags, func(c *cli.Context) error {
		e, err := cs.call.engine()
		if err != nil {
			return err
		}
		if !c.Bool("commit") {
			return cs.snapshot(c, e)
		}
		rep, err := e.Reporting.Checkpoint(cs.call.ctx, reporting.CheckpointRequest{
			Run: c.String("run"), Message: c.String("message"), Paths: c.Args().Slice(),
			NoVerify: c.Bool("no-verify"), Owner: c.Int("owner"),
		})
		if err == nil {
			outcome.Checkpointed(cs.call.Screen(), rep)
		}
		return err
	})
}

// snapshot saves the uncommitted work without changing the index, HEAD or any file.
func (cs commands) snapshot(c *cli.Context, e *handler.Engine) error {
	if c.NArg() > 0 {
		return exit.Usagef("paths can only be used with --commit; without it, everything except ignored files is saved")
	}
	saved, err := e.Reporting.Save(cs.call.ctx, c.String("run"), c.String("message"))
	if err == nil {
		outcome.Saved(cs.call.Screen(), saved)
	}
	return err
}

package main

import (
	"cmp"

	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler"
	"github.com/git-resume/git-resume/internal/handler/sharing"
	"github.com/git-resume/git-resume/internal/remotework"
	screen "github.com/git-resume/git-resume/internal/screen/sharing"
)

// shareCommands has the commands that bring runs to a remote and back.
type shareCommands struct{ cs commands }

// engine opens the repository. At a terminal, git may ask for a password.
func (x shareCommands) engine() (*handler.Engine, error) {
	e, err := x.cs.call.engine()
	if err == nil {
		e.Sharing.Exchange.Terminal = x.cs.call.CanAnswer()
	}
	return e, err
}

func (x shareCommands) push() *cli.Command {
	flags := []cli.Flag{
		runFlag(), &cli.StringFlag{Name: "to"}, &cli.BoolFlag{Name: "rebind"}, &cli.BoolFlag{Name: "restore"}, &cli.BoolFlag{Name: "wip"},
		&cli.BoolFlag{Name: "dry-run", Aliases: []string{"n"}},
	}
	return x.cs.command("push", flags, func(c *cli.Context) error {
		run, err := oneRun(c, "push [RUN] [--to REMOTE]")
		if err != nil {
			return err
		}
		if c.Bool("rebind") && c.String("to") == "" {
			return exit.Usagef("--rebind needs --to, which names the new remote")
		}
		e, err := x.engine()
		if err != nil {
			return err
		}
		q := sharing.PushRequest{Run: run, To: c.String("to"), Rebind: c.Bool("rebind"), Restore: c.Bool("restore"), DryRun: c.Bool("dry-run"), Wip: c.Bool("wip")}
		done, preview, err := e.Sharing.Push(x.cs.call.ctx, q)
		if preview != nil {
			screen.Preview(x.cs.call.Screen(), preview)
		}
		if done != nil {
			screen.Pushed(x.cs.call.Screen(), done)
		}
		return err
	})
}

func (x shareCommands) pull() *cli.Command {
	return x.cs.command("pull", []cli.Flag{runFlag(), &cli.StringFlag{Name: "from"}}, func(c *cli.Context) error {
		run, err := oneRun(c, "pull [RUN] [--from REMOTE]")
		if err != nil {
			return err
		}
		e, err := x.engine()
		if err != nil {
			return err
		}
		all, name, more, err := e.Sharing.Pull(x.cs.call.ctx, run, c.String("from"))
		if err != nil {
			return err
		}
		screen.Pulled(x.cs.call.Screen(), name, all, more)
		return nil
	})
}

func (x shareCommands) unshare() *cli.Command {
	return x.cs.command("unshare", []cli.Flag{runFlag()}, func(c *cli.Context) error {
		run, err := oneRun(c, "unshare RUN")
		if err != nil {
			return err
		}
		e, err := x.engine()
		if err != nil {
			return err
		}
		id, name, err := e.Sharing.Unshare(x.cs.call.ctx, run)
		if err != nil {
			return err
		}
		screen.Unshared(x.cs.call.Screen(), id, name)
		return nil
	})
}

func (x shareCommands) work() *cli.Command {
	flags := append([]cli.Flag{
		runFlag(), &cli.StringFlag{Name: "remote"}, &cli.StringFlag{Name: "plan"}, &cli.StringFlag{Name: "for"}, &cli.StringFlag{Name: "seat"},
		&cli.StringFlag{Name: "incarnation"}, &cli.BoolFlag{Name: "wait"}, &cli.BoolFlag{Name: "takeover"}, &cli.BoolFlag{Name: "wip"},
	}, executionFlags()...)
	return x.cs.command("work", flags, func(c *cli.Context) error {
		run, err := oneRun(c, "work [RUN] --remote REMOTE")
		if err != nil {
			return err
		}
		if c.String("remote") == "" {
			return exit.Usagef("'work' needs --remote, which says where the run is shared")
		}
		if c.Bool("takeover") && run == "" {
			return exit.Usagef("--takeover needs the name of the run")
		}
		span, err := lengthOfTime(c)
		if err != nil {
			return err
		}
		t, err := x.cs.call.talk(c)
		if err != nil {
			return err
		}
		t.Options.Takeover = false
		q := remotework.Request{For: span, Wait: c.Bool("wait"), Wip: c.Bool("wip")}
		q.Run, q.Remote, q.Plan, q.Seat, q.Incarnation = run, c.String("remote"), c.String("plan"), c.String("seat"), c.String("incarnation")
		q.Takeover = c.Bool("takeover")
		seat, incarnation := remotework.SeatOf(x.cs.call.getenv)
		q.Seat, q.Incarnation = cmp.Or(q.Seat, seat), cmp.Or(q.Incarnation, incarnation)
		t.Options.HasPlan, t.Options.Plan = false, "" // --plan of 'work' only approves commands; it does not replace the plan of the run
		return remotework.Work(t, q)
	})
}

func (x shareCommands) parked() *cli.Command {
	return x.cs.command("parked", []cli.Flag{runFlag()}, func(c *cli.Context) error {
		run, err := oneRun(c, "parked [RUN]")
		if err != nil {
			return err
		}
		e, err := x.engine()
		if err != nil {
			return err
		}
		all, err := e.Sharing.Parked(x.cs.call.ctx, run)
		if err == nil {
			screen.ParkedList(x.cs.call.Screen(), all)
		}
		return err
	})
}

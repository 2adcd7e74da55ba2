package main

import (
	"context"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/hooks"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/screen"
	"github.com/git-resume/git-resume/internal/screen/status"
)

func (cs commands) hooksCommand() *cli.Command {
	flags := []cli.Flag{&cli.BoolFlag{Name: "local"}, &cli.BoolFlag{Name: "global"}, &cli.BoolFlag{Name: "manager"}}
	return cs.command("hooks", flags, func(c *cli.Context) error {
		q := hooks.Request{Global: c.Bool("global"), Add: c.Bool("manager")}
		act, ok := map[string]func(context.Context, *gitstate.Repo) (hooks.State, error){
			"install":   func(ctx context.Context, r *gitstate.Repo) (hooks.State, error) { return hooks.Install(ctx, r, q) },
			"uninstall": func(ctx context.Context, r *gitstate.Repo) (hooks.State, error) { return hooks.Uninstall(ctx, r, q) },
			"status":    hooks.Inspect,
		}[c.Args().First()]
		if err := nargs(c, 1, 1, "hooks install|uninstall|status"); err != nil {
			return err
		}
		switch {
		case !ok:
			return unknownBelow("hooks", []string{"install", "uninstall", "status"}, c.Args().Slice())
		case q.Global && c.Bool("local"):
			return exit.Usagef("--local and --global cannot be used together")
		case q.Global && q.Add:
			return exit.Usagef("--global and --manager cannot be used together: a hook manager serves one repository")
		case q.Add && c.Args().First() != "install":
			return exit.Usagef("--manager can only be used with install")
		}
		e, err := cs.call.engine()
		if err != nil {
			return err
		}
		s, err := act(cs.call.ctx, e.Repo)
		if err == nil {
			screen.Hook(cs.call.Screen(), s)
		}
		return err
	})
}

// hookCommand is the command that the post-checkout hook calls. Its errors are ignored, because they must not disturb git.
func (cs commands) hookCommand() *cli.Command {
	cmd := cs.command("hook", nil, func(c *cli.Context) error {
		// The caller only wants to know whether git runs this hook. Print the answer, and do nothing else.
		if cs.call.getenv("GIT_RESUME_PROBE") == "1" {
			fmt.Fprintln(cs.call.err, hooks.Alive)
			return nil
		}
		if c.Args().First() != hooks.Name || c.Args().Get(3) != "1" || cs.call.getenv("GIT_RESUME") == "0" {
			return nil
		}
		ctx, cancel := context.WithTimeout(cs.call.ctx, 900*time.Millisecond)
		defer cancel()
		e, err := cs.call.engine()
		if err != nil {
			return nil
		}
		announcer := candidate.NewAnnouncer(e.Find)
		if runs, err := announcer.List(ctx); err == nil {
			status.Noticed(cs.call.Screen(), runs)
			announcer.Remember(runs)
		}
		return nil
	})
	cmd.Hidden = true
	return cmd
}

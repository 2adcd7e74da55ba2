package main

import (
	"context"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/hooks"
)

// hookActions are what "hooks" can do.
var hookActions = map[string]func(context.Context, *gitstate.Repo) (hooks.State, error){
	"install": hooks.Install, "uninstall": hooks.Uninstall, "status": hooks.Look,
}

func (p *program) hooksCommand() *cli.Command {
	return p.command("hooks", "install, check or remove the hook", nil, func(c *cli.Context) error {
		act, ok := hookActions[c.Args().First()]
		if !ok || c.NArg() != 1 {
			return usagef("usage: git resume hooks install|uninstall|status")
		}
		e, err := p.engine()
		if err != nil {
			return err
		}
		s, err := act(p.ctx, e.Repo)
		if err == nil {
			p.screen().Hook(s)
		}
		return err
	})
}

// hookCommand is what the stub calls. Whatever happens, it says nothing wrong and exits 0.
func (p *program) hookCommand() *cli.Command {
	cmd := p.command("hook", "called by the hook stub", nil, func(c *cli.Context) error {
		if c.Args().First() != hooks.Name || c.Args().Get(3) != "1" || p.getenv("GIT_RESUME") == "0" {
			return nil
		}
		ctx, cancel := context.WithTimeout(p.ctx, 900*time.Millisecond)
		defer cancel()
		e, err := p.engine()
		if err != nil {
			return nil
		}
		if runs, err := e.Noticed(ctx); err == nil {
			p.screen().Noticed(runs)
		}
		return nil
	})
	cmd.Hidden = true
	return cmd
}

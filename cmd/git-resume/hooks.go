package main

import (
	"context"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/hooks"
)

func (p *program) hooksCommand() *cli.Command {
	cmd := p.command("hooks", "install, check and remove the hook", nil, func(*cli.Context) error {
		return usagef("usage: git resume hooks install|uninstall|status")
	})
	act := func(name, usage string, do func(context.Context, *gitstate.Repo) (hooks.State, error)) *cli.Command {
		return p.command(name, usage, nil, func(c *cli.Context) error {
			if err := nargs(c, 0, 0, "hooks "+name); err != nil {
				return err
			}
			e, err := p.engine()
			if err != nil {
				return err
			}
			s, err := do(p.ctx, e.Repo)
			if err == nil {
				p.screen().Hook(s)
			}
			return err
		})
	}
	cmd.Subcommands = []*cli.Command{
		act("install", "put the hook in place", hooks.Install),
		act("uninstall", "take it away", hooks.Uninstall),
		act("status", "tell how it stands", hooks.Look),
	}
	return cmd
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

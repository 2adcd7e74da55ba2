package main

import (
	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler/sharing"
	screen "github.com/git-resume/git-resume/internal/screen/sharing"
)

// remoteCommands has the command that checks whether runs can be shared at a remote.
type remoteCommands struct{ cs commands }

func (x remoteCommands) remote() *cli.Command {
	return x.cs.command("remote", nil, func(c *cli.Context) error {
		words := c.Args().Slice()
		switch {
		case len(words) == 0:
			return exit.Meantf("git resume remote check", "'remote' needs a subcommand")
		case words[0] != "check":
			return unknownBelow("remote", []string{"check"}, words)
		case len(words) > 2:
			return exit.Usagef("only one remote can be checked at a time")
		}
		e, err := x.cs.call.engine()
		if err != nil {
			return err
		}
		check := sharing.Checker{Repo: e.Repo, Terminal: x.cs.call.CanAnswer(), Now: e.Now}
		name, err := check.Name(x.cs.call.ctx, c.Args().Get(1))
		if err != nil {
			return err
		}
		report, err := check.Check(x.cs.call.ctx, name)
		if err != nil {
			return err
		}
		screen.Checked(x.cs.call.Screen(), report)
		if !report.Fit() {
			return exit.Code(exit.Remote)
		}
		return nil
	})
}

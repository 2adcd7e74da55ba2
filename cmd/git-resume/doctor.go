package main

import (
	"errors"

	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/internal/conversation"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler/doctor"
	"github.com/git-resume/git-resume/internal/screen"
	"github.com/urfave/cli/v2"
)

func (cs commands) doctorCommand() *cli.Command {
	flags := []cli.Flag{&cli.BoolFlag{Name: "fix"}, &cli.BoolFlag{Name: "purge"}, &cli.BoolFlag{Name: "yes", Aliases: []string{"y"}}, &cli.BoolFlag{Name: "force"}}
	return cs.command("doctor", flags, func(c *cli.Context) error {
		if err := nargs(c, 0, 0, "doctor [--fix | --purge]"); err != nil {
			return err
		}
		if c.Bool("purge") {
			return purge(cs.call, c)
		}
		if c.Bool("yes") || c.Bool("force") {
			return exit.Usagef("--yes and --force need --purge")
		}
		checks := append(installation(cs).checks(), agentCommands{cs}.checks()...)
		e, err := cs.call.engine()
		if err == nil {
			var own []doctor.Check
			own, err = e.Checking.Doctor(cs.call.ctx)
			if err == nil && !c.Bool("fix") {
				var remotes []doctor.Check
				remotes, err = e.Checking.Remotes(cs.call.ctx)
				own = append(own, remotes...)
			}
			checks = append(own, checks...)
		} else if errors.Is(err, locate.ErrNotRepository) {
			err = nil // outside of a repository, only the installation is checked
		}
		if err != nil {
			return err
		}
		left := cs.treat(checks, c.Bool("fix"))
		if left > 0 {
			return exit.Code(exit.Failed)
		}
		return nil
	})
}

// purge removes what git-resume stored in the repository, after the user has agreed.
func purge(p *program, c *cli.Context) error {
	if c.Bool("fix") {
		return exit.Usagef("--fix and --purge cannot be used together")
	}
	t, err := p.talk(c)
	if err != nil {
		return err
	}
	return conversation.Purge(t)
}

// treat prints the result of each check, and repairs problems if the second argument is true. It returns the number of problems that are
// left.
func (cs commands) treat(checks []doctor.Check, fix bool) (left int) {
	s := cs.call.Screen()
	for _, c := range checks {
		switch {
		case c.Well:
			screen.Check(s, "ok", c)
		case c.Fix == nil:
			screen.Check(s, "look", c)
			left++
		case !fix:
			screen.Check(s, "fix", c)
			left++
		default:
			if err := c.Fix(cs.call.ctx); err != nil {
				c.Text += ": " + err.Error()
				screen.Check(s, "fail", c)
				left++
				continue
			}
			screen.Check(s, "done", c)
		}
	}
	return left
}

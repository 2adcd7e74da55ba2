package main

import (
	"github.com/git-resume/git-resume/internal/conversation"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/urfave/cli/v2"
)

func (cs commands) trustCommand() *cli.Command {
	flags := []cli.Flag{
		runFlag(), &cli.BoolFlag{Name: "dry-run", Aliases: []string{"n"}}, &cli.BoolFlag{Name: "yes", Aliases: []string{"y"}},
		&cli.StringFlag{Name: "expect"},
	}
	return cs.command("trust", flags, func(c *cli.Context) error {
		run, err := oneRun(c, "trust RUN")
		if err != nil {
			return err
		}
		t, err := cs.call.talk(c)
		if err != nil {
			return err
		}
		if run == "" {
			return exit.Usagef("an argument is missing\nusage: git resume trust RUN")
		}
		return conversation.Trust(t, run, c.String("expect"))
	})
}

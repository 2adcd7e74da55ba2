package main

import (
	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/internal/conversation"
	"github.com/git-resume/git-resume/internal/exit"
)

func (cs commands) undoCommand() *cli.Command {
	flags := []cli.Flag{runFlag(), &cli.BoolFlag{Name: "dry-run", Aliases: []string{"n"}}, &cli.BoolFlag{Name: "list"}, &cli.BoolFlag{Name: "redo"}, &cli.BoolFlag{Name: "yes", Aliases: []string{"y"}}}
	return cs.command("undo", flags, func(c *cli.Context) error {
		run, err := oneRun(c, "undo [RUN]")
		if err != nil {
			return err
		}
		t, err := cs.call.talk(c)
		if err != nil {
			return err
		}
		if c.Bool("list") && c.Bool("redo") {
			return exit.Usagef("--list and --redo cannot be used together")
		}
		if c.Bool("list") {
			return conversation.Changes(t, run)
		}
		return conversation.Undo(t, run, c.Bool("redo"))
	})
}

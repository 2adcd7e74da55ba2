package main

import (
	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/internal/conversation"
)

// hideCommands has the command that hides other systems' work.
type hideCommands struct{ cs commands }

func (x hideCommands) hide() *cli.Command {
	flags := []cli.Flag{&cli.BoolFlag{Name: "old"}, &cli.BoolFlag{Name: "list"}, &cli.BoolFlag{Name: "undo"}, &cli.BoolFlag{Name: "dry-run", Aliases: []string{"n"}}}
	return x.cs.command("hide", flags, func(c *cli.Context) error {
		q := conversation.HideRequest{Names: c.Args().Slice(), Old: c.Bool("old"), List: c.Bool("list"), Undo: c.Bool("undo")}
		if err := q.Fit(); err != nil {
			return err
		}
		t, err := x.cs.call.talk(c)
		if err != nil {
			return err
		}
		return conversation.Hide(t, q)
	})
}

package main

import (
	"github.com/git-resume/git-resume/internal/conversation"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/urfave/cli/v2"
)

func discardFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}}, &cli.BoolFlag{Name: "dry-run", Aliases: []string{"n"}},
		&cli.BoolFlag{Name: "force"}, &cli.BoolFlag{Name: "merged"},
	}
}

func (cs commands) discardCommand() *cli.Command {
	return cs.command("discard", append(discardFlags(), runFlag()), cs.discard)
}

func (cs commands) discard(c *cli.Context) error {
	run, err := oneRun(c, "discard [RUN]")
	if err != nil {
		return err
	}
	t, err := cs.call.talk(c)
	if err != nil {
		return err
	}
	if c.Bool("merged") {
		if run != "" {
			return exit.Usagef("--merged chooses the runs itself; it cannot be used with the name of a run")
		}
		return conversation.DiscardMerged(t)
	}
	return conversation.Discard(t, run)
}

package main

import (
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/internal/conversation"
	"github.com/git-resume/git-resume/internal/exit"
)

func (cs commands) undoCommand() *cli.Command {
	flags := []cli.Flag{runFlag(), &cli.BoolFlag{Name: "dry-run", Aliases: []string{"n"}}, &cli.BoolFlag{Name: "list"}, &cli.BoolFlag{Name: "redo"}, &cli.BoolFlag{Name: "yes", Aliases: []string{"y"}}}
	return cs.command("undo", flags, func(c *cli.Context) error {
		run, err := oneRun(c, "undo [RUN|NUMBER]")
		if err != nil {
			return err
		}
		number := changeNumber(c.Args().First())
		t, err := cs.call.talk(c)
		if err != nil {
			return err
		}
		if c.Bool("list") && c.Bool("redo") {
			return exit.Usagef("--list and --redo cannot be used together")
		}
		if number > 0 && (c.Bool("list") || c.Bool("redo")) {
			return exit.Usagef("a number cannot be used with --list or --redo")
		}
		if c.Bool("list") {
			return conversation.Changes(t, run)
		}
		return conversation.Undo(t, conversation.UndoRequest{Run: run, Number: number, Redo: c.Bool("redo")})
	})
}

// changeNumber returns the number of a change, or zero if the argument is the name of a run. A run whose name is a number can be named
// with --run.
func changeNumber(arg string) int {
	number, err := strconv.Atoi(arg)
	if err != nil || number < 1 || strconv.Itoa(number) != arg {
		return 0
	}
	return number
}

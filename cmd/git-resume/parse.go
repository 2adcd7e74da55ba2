package main

import (
	"flag"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/quote"
)

// execute calls the command with which the ordered arguments start. The function of the library that could do this contains help texts,
// which are templates. Templates call methods by name, so the linker would have to keep every exported method of the program.
func execute(app *cli.App, ordered []string) error {
	cmd := &cli.Command{Flags: app.Flags, Subcommands: app.Commands, Action: app.Action}
	var above *cli.Context
	path := ""
	for {
		set, err := parse(cmd.Flags, ordered)
		if err != nil {
			return ofCommand(exit.Usagef("%s", quote.Printable(err.Error())), path)
		}
		c := cli.NewContext(app, set, above)
		c.Command = cmd
		for _, f := range cmd.Flags {
			if check, ok := f.(cli.ActionableFlag); ok && c.IsSet(f.Names()[0]) {
				if err := check.RunAction(c); err != nil {
					return ofCommand(err, path)
				}
			}
		}
		next := named(cmd.Subcommands, set.Arg(0))
		if next == nil {
			return cmd.Action(c)
		}
		above, cmd, ordered = c, next, set.Args()[1:]
		path = strings.TrimSpace(path + " " + cmd.Name)
	}
}

// parse reads the flags up to the first argument. All names of a flag share one value, so the last value on the command line counts.
func parse(flags []cli.Flag, args []string) (*flag.FlagSet, error) {
	set := flag.NewFlagSet("", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	for _, f := range flags {
		one := flag.NewFlagSet("", flag.ContinueOnError)
		if err := f.Apply(one); err != nil {
			return nil, err
		}
		for _, name := range f.Names() {
			set.Var(one.Lookup(f.Names()[0]).Value, name, "")
		}
	}
	return set, set.Parse(args)
}

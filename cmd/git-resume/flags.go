package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/manual"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/urfave/cli/v2"
)

func onUsage(_ *cli.Context, err error, _ bool) error {
	return exit.Usagef("%s", quote.Printable(err.Error()))
}

func helpFlag() cli.Flag { return &cli.BoolFlag{Name: "help", Aliases: []string{"h"}, Hidden: true} }

// command builds one command with the behaviour that all share. Its path is its name in the manual, such as "task done".
func (cs commands) command(path string, flags []cli.Flag, action cli.ActionFunc) *cli.Command {
	return &cli.Command{
		Name: path[strings.LastIndex(path, " ")+1:], HideHelp: true, Flags: append(flags, helpFlag()),
		OnUsageError: onUsage, Action: cs.help(path, action),
	}
}

// help answers -h as git does: with the usage on stdout and the exit code of a usage error.
func (cs commands) help(path string, action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		if c.Bool("help") {
			m, ok := manual.Lookup(path)
			if !ok { // the command that the hook's stub calls is not for people
				m, _ = manual.Lookup("")
			}
			fmt.Fprint(cs.call.out, m.Usage())
			return exit.Code(exit.Usage)
		}
		return ofCommand(action(c), path)
	}
}

// ofCommand lets the hint of a usage error lead to the -h of the command that was called.
func ofCommand(err error, path string) error {
	var usage *exit.UsageError
	if errors.As(err, &usage) {
		usage.Command = path
	}
	return err
}

// nargs refuses too few or too many arguments.
func nargs(c *cli.Context, least, most int, form string) error {
	switch n := c.NArg(); {
	case n < least:
		return exit.Usagef("an argument is missing\n%s", usage(form))
	case most >= 0 && n > most:
		return exit.Usagef("unexpected argument '%s'\n%s", quote.Printable(c.Args().Get(most)), usage(form))
	}
	return nil
}

func usage(form string) string { return fmt.Sprintf("usage: git resume %s", form) }

func runFlag() cli.Flag {
	return &cli.StringFlag{Name: "run"}
}

func ownerFlag() cli.Flag {
	return &cli.IntFlag{Name: "owner"}
}

// oneRun takes the run from the argument or from --run, but not from both.
func oneRun(c *cli.Context, form string) (string, error) {
	if err := nargs(c, 0, 1, form); err != nil {
		return "", err
	}
	arg, flag := c.Args().First(), c.String("run")
	if c.Args().Len() == 1 && arg == "" || c.IsSet("run") && flag == "" {
		// An empty variable in a script must not select the only run there is.
		return "", exit.Usagef("the name of the run is empty")
	}
	if arg != "" && flag != "" && arg != flag {
		return "", exit.Usagef("two runs are named: '%s' and '%s'", quote.Printable(arg), quote.Printable(flag))
	}
	if arg != "" {
		return arg, nil
	}
	return flag, nil
}

// executionFlags are the flags of every command that runs tasks.
func executionFlags() []cli.Flag {
	return []cli.Flag{&cli.BoolFlag{Name: "keep-going"}, &cli.BoolFlag{Name: "no-verify"}, &cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}}}
}

// notEmpty refuses an empty command, which is most likely an empty variable in a script.
func notEmpty(args []string) error {
	if strings.TrimSpace(args[0]) == "" {
		return exit.Usagef("the command is empty")
	}
	return nil
}

func timeoutFlag() cli.Flag { return &cli.StringFlag{Name: "timeout"} }

// timeLimit is how long a single command may take; zero means that there is no limit.
func timeLimit(c *cli.Context) (time.Duration, error) {
	text := c.String("timeout")
	if text == "" && !c.IsSet("timeout") {
		return 0, nil
	}
	limit, err := time.ParseDuration(text)
	if err != nil || limit <= 0 {
		return 0, exit.Usagef("--timeout '%s' is not a duration; write a number with a unit, for example 90s, 10m or 2h", quote.Printable(text))
	}
	return limit, nil
}

// commands are what the user can type; each reads its flags, calls one handler and passes the answer to the screen.
type commands struct{ call *program }

package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/manual"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/urfave/cli/v2"
)

func helpFlag() cli.Flag { return &cli.BoolFlag{Name: "help", Aliases: []string{"h"}, Hidden: true} }

// command builds one command with the behaviour that all commands share. path is its name in the manual, such as "task done".
func (cs commands) command(path string, flags []cli.Flag, action cli.ActionFunc) *cli.Command {
	return &cli.Command{
		Name: path[strings.LastIndex(path, " ")+1:], Flags: append(flags, helpFlag()), Action: cs.help(path, action),
	}
}

// help handles -h as git does: it prints the usage to stdout and returns the exit code of a usage error.
func (cs commands) help(path string, action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		if c.Bool("help") {
			m, ok := manual.Lookup(path)
			if !ok { // the hook's own command has no manual page
				m, _ = manual.Lookup("")
			}
			fmt.Fprint(cs.call.out, m.Usage())
			return exit.Code(exit.Usage)
		}
		return ofCommand(action(c), path)
	}
}

// ofCommand adds the name of the command to a usage error, so that the hint can suggest its -h.
func ofCommand(err error, path string) error {
	var usage *exit.UsageError
	if errors.As(err, &usage) {
		usage.Command = path
	}
	return err
}

// nargs returns an error if there are too few or too many arguments.
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

// ownerFlag names the process that does the work. Process 1 is refused, because it is there as long as the machine runs.
func ownerFlag() cli.Flag {
	return &cli.IntFlag{Name: "owner", Action: func(_ *cli.Context, pid int) error {
		if pid < 2 {
			return exit.Usagef("--owner is the id of the process that does the work, not %d", pid)
		}
		return nil
	}}
}

// oneRun returns the run from the argument or from --run, or "" if neither is given. It is an error if both are given and differ, or if a
// given name is empty.
func oneRun(c *cli.Context, form string) (string, error) {
	if err := nargs(c, 0, 1, form); err != nil {
		return "", err
	}
	arg, flag := c.Args().First(), c.String("run")
	if c.Args().Len() == 1 && arg == "" || c.IsSet("run") && flag == "" {
		// The name can be empty because a variable in a script is empty. An empty name must not select the only existing run.
		return "", exit.Usagef("the name of the run is empty")
	}
	if arg != "" && flag != "" && arg != flag {
		return "", exit.Usagef("the run is given twice, with different names: '%s' and '%s'", quote.Printable(arg), quote.Printable(flag))
	}
	if arg != "" {
		return arg, nil
	}
	return flag, nil
}

// executionFlags are flags of the commands that execute the tasks of a run.
func executionFlags() []cli.Flag {
	return []cli.Flag{&cli.BoolFlag{Name: "keep-going"}, &cli.BoolFlag{Name: "no-verify"}, &cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}}}
}

// jobsFlag says how many tasks may run at the same time.
func jobsFlag() cli.Flag {
	return &cli.IntFlag{Name: "jobs", Aliases: []string{"j"}, Action: func(_ *cli.Context, n int) error {
		if n < 1 || n > plan.MaxJobs {
			return exit.Usagef("--jobs is a number from 1 to %d, not %d", plan.MaxJobs, n)
		}
		return nil
	}}
}

// notEmpty returns an error for an empty command. Most likely, a variable in a script was empty.
func notEmpty(args []string) error {
	if strings.TrimSpace(args[0]) == "" {
		return exit.Usagef("the command to run is empty")
	}
	return nil
}

func timeoutFlag() cli.Flag { return &cli.StringFlag{Name: "timeout"} }

// timeLimit returns how long a single command may run. Zero means that there is no limit.
func timeLimit(c *cli.Context) (time.Duration, error) {
	text := c.String("timeout")
	if text == "" && !c.IsSet("timeout") {
		return 0, nil
	}
	limit, err := time.ParseDuration(text)
	if err != nil || limit <= 0 {
		return 0, exit.Usagef("--timeout '%s' is not a duration above zero; write a number with a unit, for example 90s, 10m or 2h", quote.Printable(text))
	}
	return limit, nil
}

// timeFlags are the flags that limit how long tasks are executed.
func timeFlags() []cli.Flag {
	return []cli.Flag{&cli.StringFlag{Name: "for"}, &cli.StringFlag{Name: "until"}}
}

// endOfTime returns when the time for executing tasks is over, according to --for or --until. It is zero if neither is given.
func endOfTime(c *cli.Context, now time.Time) (time.Time, error) {
	switch {
	case c.IsSet("for") && c.IsSet("until"):
		return time.Time{}, exit.Usagef("--for and --until cannot be used together")
	case c.IsSet("for"):
		span, err := lengthOfTime(c)
		return now.Add(span), err // the caller does not look at the time if there is an error
	case c.IsSet("until"):
		return parseUntil(c.String("until"), now)
	}
	return time.Time{}, nil
}

// lengthOfTime returns how long tasks may be executed, according to --for. It is zero if --for is not given.
func lengthOfTime(c *cli.Context) (time.Duration, error) {
	if !c.IsSet("for") {
		return 0, nil
	}
	span, err := time.ParseDuration(c.String("for"))
	if err != nil || span <= 0 {
		return 0, exit.Usagef("--for '%s' is not a length of time; write it as 90m or 5h30m", quote.Printable(c.String("for")))
	}
	return span, nil
}

// parseUntil reads a time of day, or a date and a time. A time of day means its next occurrence. A date and time in the past is an error.
func parseUntil(text string, now time.Time) (time.Time, error) {
	local := now.Local()
	if at, err := time.Parse("15:04", text); err == nil {
		out := time.Date(local.Year(), local.Month(), local.Day(), at.Hour(), at.Minute(), 0, 0, local.Location())
		if !out.After(local) {
			out = time.Date(local.Year(), local.Month(), local.Day()+1, at.Hour(), at.Minute(), 0, 0, local.Location())
		}
		return out, nil
	}
	for _, form := range []string{"2006-01-02 15:04", "2006-01-02T15:04"} {
		if at, err := time.ParseInLocation(form, text, local.Location()); err == nil {
			if !at.After(local) {
				return at, exit.Usagef("--until '%s' is in the past", quote.Printable(text))
			}
			return at, nil
		}
	}
	return time.Time{}, exit.Usagef("--until '%s' is not a time; write it as 18:00 or '2026-11-17 18:00'", quote.Printable(text))
}

// commands builds the commands that the user can type.
type commands struct{ call *program }

package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/manual"
	"github.com/git-resume/git-resume/internal/quote"
)

// reorder moves flags before the arguments, because the library reads no flags after the first argument. It also returns an error for
// unknown flags and mistyped commands.
func reorder(app *cli.App, args []string) ([]string, error) {
	flags, commands := app.Flags, app.Commands
	var path []string
	for {
		cmd, before, rest := nextCommand(flags, commands, args)
		if cmd == nil || len(path) == 0 && slices.ContainsFunc(before, func(f []string) bool { return belongsToRoot(flags, cmd, f[0]) }) {
			break
		}
		for i := len(before) - 1; i >= 0; i-- {
			// A flag before the command, as in "git resume --json status", belongs to the command. It stays before the command only if
			// "git resume" has this flag and the command does not.
			if f := before[i]; findFlag(flags, f[0]) != nil && !knows(cmd, f[0]) {
				path = append(path, f...)
			} else {
				rest = append(append([]string{}, f...), rest...)
			}
		}
		path = append(path, cmd.Name)
		flags, commands, args = cmd.Flags, cmd.Subcommands, rest
	}
	ordered, err := arrange(app, path, flags, commands, args)
	return ordered, ofCommand(err, strings.Join(path, " "))
}

// belongsToRoot reports whether only "git resume" itself has a flag that was typed before a command. Then the word that looks like a command
// is the name of a run, as in "git resume --discard demo".
func belongsToRoot(flags []cli.Flag, cmd *cli.Command, arg string) bool {
	return findFlag(flags, arg) != nil && !knows(cmd, arg)
}

// nextCommand finds the next command name in args, or returns nil. The result "before" contains the flags that come before the name, each
// with its value.
func nextCommand(flags []cli.Flag, commands []*cli.Command, args []string) (cmd *cli.Command, before [][]string, rest []string) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			break
		}
		if !isFlag(a) {
			return named(commands, a), before, args[i+1:]
		}
		n := 1
		if i+1 < len(args) && (takesValue(flags, a) || findFlag(flags, a) == nil && mayTakeValue(commands, a) && named(commands, args[i+1]) == nil) {
			n = 2
		}
		before = append(before, args[i:i+n])
		i += n - 1
	}
	return nil, nil, args
}

func isFlag(arg string) bool { return strings.HasPrefix(arg, "-") && arg != "-" }

func named(commands []*cli.Command, word string) *cli.Command {
	for _, c := range commands {
		if c.HasName(word) {
			return c
		}
	}
	return nil
}

// The function "knows" reports whether a command or one of its subcommands has the flag.
func knows(cmd *cli.Command, arg string) bool {
	return findFlag(cmd.Flags, arg) != nil ||
		slices.ContainsFunc(cmd.Subcommands, func(c *cli.Command) bool { return knows(c, arg) })
}

// mayTakeValue reports whether at least one command has this flag with a value.
func mayTakeValue(commands []*cli.Command, arg string) bool {
	return slices.ContainsFunc(commands, func(c *cli.Command) bool {
		return takesValue(c.Flags, arg) || mayTakeValue(c.Subcommands, arg)
	})
}

// arrange returns the command's path, then its flags, then "--" and the other arguments.
func arrange(app *cli.App, path []string, flags []cli.Flag, commands []*cli.Command, args []string) ([]string, error) {
	var opts, words []string
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case len(commands) > 0 && len(path) > 0 && !isFlag(a):
			return nil, unknownBelow(strings.Join(path, " "), namesOf(commands), args[i:])
		case a == "--":
			if most, ok := beforeDashes[strings.Join(path, " ")]; ok && len(words) > most {
				m, _ := manual.Lookup(strings.Join(path, " "))
				return nil, exit.Usagef("unexpected argument '%s' before '--', where the command begins\n%s", quote.Printable(words[most]), usage(m.Forms[0]))
			}
			words = append(words, args[i+1:]...)
			i = len(args)
		case !isFlag(a):
			words = append(words, a)
		case findFlag(flags, a) == nil && joined(flags, a):
			opts = append(opts, a[:2], a[2:])
		case findFlag(flags, a) == nil:
			return nil, unknownOption(app, path, flags, args, a)
		case strings.Contains(a, "=") && isSwitch(findFlag(flags, a)):
			return nil, exit.Usagef("option '--%s' takes no value", quote.Printable(flagName(a)))
		case takesValue(flags, a):
			if i+1 == len(args) {
				return nil, exit.Usagef("option '%s' needs a value", quote.Printable(a))
			}
			opts = append(opts, a, args[i+1])
			i++
		default:
			opts = append(opts, a)
		}
	}
	if len(words) > 0 && named(commands, words[0]) != nil {
		// The user typed "--" before this word, so it is the name of a run. Without --run, it would be read as a command.
		opts, words = append(opts, "--run", words[0]), words[1:]
	}
	out := append(path, opts...)
	if len(words) > 0 {
		out = append(append(out, "--"), words...)
	}
	return out, nil
}

// beforeDashes says how many words may stand before "--", for the commands whose other words are a command to run. Without this limit, a
// word that does not belong there would become the first word of that command.
var beforeDashes = map[string]int{"run": 0, "task run": 1}

// joined reports whether an argument is a one-letter flag and its value in one word, such as -mtext.
func joined(flags []cli.Flag, arg string) bool {
	return len(arg) > 2 && arg[1] != '-' && takesValue(flags, arg[:2])
}

// flagName returns the name in "--name=value" or "-n".
func flagName(arg string) string {
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	return name
}

func findFlag(flags []cli.Flag, arg string) cli.Flag {
	name := flagName(arg)
	for _, f := range flags {
		for _, n := range f.Names() {
			// As in git, a one-letter flag has one dash and a longer one has two.
			if n == name && (len(n) == 1) == !strings.HasPrefix(arg, "--") {
				return f
			}
		}
	}
	return nil
}

// isSwitch reports whether a flag takes no value.
func isSwitch(f cli.Flag) bool {
	_, is := f.(*cli.BoolFlag)
	return is
}

func takesValue(flags []cli.Flag, arg string) bool {
	f := findFlag(flags, arg)
	if f == nil || strings.Contains(arg, "=") {
		return false
	}
	d, ok := f.(cli.DocGenerationFlag)
	return ok && d.TakesValue() && !optionalValue[f.Names()[0]]
}

// optionalValue contains the flags whose value can be left out. If a value is given, it must follow "=", for example --porcelain=v1.
var optionalValue = map[string]bool{"porcelain": true, resume.FlagSkip: true, resume.FlagMarkDone: true}

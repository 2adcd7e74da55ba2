package main

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// reorder puts flags before arguments, since the cli library ignores every flag behind the first argument.
// It refuses what the library would pass over in silence: flags it does not know and mistyped commands.
func reorder(app *cli.App, args []string) ([]string, error) {
	flags := app.Flags
	commands := app.Commands
	var path []string
	for {
		cmd, before, rest := nextCommand(flags, commands, args)
		if cmd == nil {
			break
		}
		path = append(append(path, before...), cmd.Name)
		flags, commands, args = cmd.Flags, cmd.Subcommands, rest
	}
	return finish(path, flags, commands, args)
}

// nextCommand finds the command that the first argument names, if any; before are the flags in front of it.
func nextCommand(flags []cli.Flag, commands []*cli.Command, args []string) (cmd *cli.Command, before, rest []string) {
	if len(commands) == 0 {
		return nil, nil, args
	}
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			return nil, nil, args
		}
		if strings.HasPrefix(a, "-") && a != "-" {
			if takesValue(flags, a) {
				i++
			}
			continue
		}
		for _, c := range commands {
			if c.HasName(a) {
				return c, args[:i], args[i+1:]
			}
		}
		return nil, nil, args
	}
	return nil, nil, args
}

// finish sorts what belongs to the command that was found: its flags first, then its arguments behind "--".
func finish(path []string, flags []cli.Flag, commands []*cli.Command, args []string) ([]string, error) {
	var opts, words []string
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			words = append(words, args[i+1:]...)
			i = len(args)
		case !strings.HasPrefix(a, "-") || a == "-":
			words = append(words, a)
		case findFlag(flags, a) == nil:
			return nil, usagef("unknown option '%s'", printable(a))
		case takesValue(flags, a):
			if i+1 == len(args) {
				return nil, usagef("option '%s' needs a value", printable(a))
			}
			opts = append(opts, a, args[i+1])
			i++
		default:
			opts = append(opts, a)
		}
	}
	if len(commands) > 0 && len(words) > 0 && len(path) > 0 {
		return nil, usagef("unknown command '%s %s'", strings.Join(path, " "), printable(words[0]))
	}
	out := append(path, opts...)
	if len(words) > 0 {
		out = append(append(out, "--"), words...)
	}
	return out, nil
}

// flagName is the name in "--name=value" or "-n".
func flagName(arg string) string {
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	return name
}

func findFlag(flags []cli.Flag, arg string) cli.Flag {
	name := flagName(arg)
	for _, f := range flags {
		for _, n := range f.Names() {
			// One dash for one letter, two for a word, as everywhere in git.
			if n == name && (len(n) == 1) == !strings.HasPrefix(arg, "--") {
				return f
			}
		}
	}
	return nil
}

func takesValue(flags []cli.Flag, arg string) bool {
	f := findFlag(flags, arg)
	if f == nil || strings.Contains(arg, "=") {
		return false
	}
	d, ok := f.(cli.DocGenerationFlag)
	return ok && d.TakesValue() && !optionalValue[f.Names()[0]]
}

// optionalValue are flags whose value, if any, is joined by "=".
var optionalValue = map[string]bool{"porcelain": true}

// printable keeps a hostile argument from speaking to the terminal.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	if len(s) > 80 {
		return strings.ToValidUTF8(s[:80], "") + "…"
	}
	return s
}

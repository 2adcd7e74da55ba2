package main

import (
	"slices"

	"github.com/git-resume/git-resume/internal/exit"
)

// gone has the commands and options that an earlier version understood. People have typed them and written them into scripts, so each gets
// an answer that names what replaces it. The option is empty if the whole command is gone.
var gone = []struct{ command, option, instead string }{
	{"trust", "all-here", "use 'git resume trust' with the name of a run"},
}

// goneCommand returns the error for a command that an earlier version had, or nil.
func goneCommand(word string) error {
	for _, g := range gone {
		if g.command == word && g.option == "" {
			return exit.Usagef("there is no command '%s' any more; %s", word, g.instead)
		}
	}
	return nil
}

// goneOption returns the error for an option that an earlier version of a command had, or nil. The arguments are searched for the command if
// the option stands before it.
func goneOption(command string, args []string, name string) error {
	for _, g := range gone {
		if g.option == name && name != "" && (g.command == command || command == "" && slices.Contains(args, g.command)) {
			return exit.Usagef("'%s' has no option '--%s' any more; %s", g.command, name, g.instead)
		}
	}
	return nil
}

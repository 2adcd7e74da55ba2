package main

import (
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/quote"
)

// mistyped turns "no such run" into a usage error where a command was probably meant.
func mistyped(commands []*cli.Command, err error) error {
	var none *candidate.NoneError
	if !errors.As(err, &none) || none.Given == "" {
		return err
	}
	names := make([]string, 0, len(commands))
	for _, c := range commands {
		names = append(names, c.Name)
	}
	if meant := plan.Nearest(none.Given, names); meant != "" {
		return exit.Usagef("'%s' is neither a command nor a run; did you mean 'git resume %s'?", quote.Printable(none.Given), meant)
	}
	return err
}

package main

import (
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/internal/resume"
)

// mistyped turns "no such run" into a usage error where a command was probably meant.
func mistyped(commands []*cli.Command, err error) error {
	var none *resume.NoneError
	if !errors.As(err, &none) || none.Given == "" || len(none.Given) > 20 {
		return err
	}
	for _, c := range commands {
		if distance(none.Given, c.Name) <= 2 {
			return usagef("'%s' is neither a command nor a run; did you mean 'git resume %s'?", printable(none.Given), c.Name)
		}
	}
	return err
}

// distance is how many letters to add, drop or change to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

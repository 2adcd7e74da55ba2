package screen

import (
	"strings"

	"github.com/git-resume/git-resume/internal/quote"
)

// single names a command in a sentence, between single quotes.
func single(format string, values ...any) string {
	return quote.Between("'", quote.Command(format, values...))
}

// double names a command in a sentence, between double quotes; a line that is broken is not broken within it.
func double(format string, values ...any) string {
	return unbroken(quote.Between(`"`, quote.Command(format, values...)))
}

// revision names a branch where git takes any revision; one that looks like an option needs its whole name.
func revision(branch string) string {
	if strings.HasPrefix(branch, "-") {
		return "refs/heads/" + branch
	}
	return branch
}

// unbroken keeps a command on one line.
func unbroken(command string) string { return strings.ReplaceAll(command, " ", noBreak) }

// noBreak stands for a blank at which no line ends. Nothing that is shown can contain it: whoever quotes a name escapes it.
const noBreak = "\x00"

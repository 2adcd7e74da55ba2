package phrase

import (
	"strings"

	"github.com/git-resume/git-resume/internal/quote"
)

// Single names a command in a sentence, between single quotes.
func Single(format string, values ...any) string {
	return quote.Between("'", quote.Command(format, values...))
}

// Double names a command in a sentence, between double quotes; a line that is broken is not broken within it.
func Double(format string, values ...any) string {
	return Unbroken(quote.Between(`"`, quote.Command(format, values...)))
}

// Revision names a branch where git takes any revision; one that looks like an option needs its whole name.
func Revision(branch string) string {
	if strings.HasPrefix(branch, "-") {
		return "refs/heads/" + branch
	}
	return branch
}

// Unbroken keeps a command on one line.
func Unbroken(command string) string { return strings.ReplaceAll(command, " ", NoBreak) }

// NoBreak stands for a blank at which no line ends. Nothing that is shown can contain it: whoever quotes a name escapes it.
const NoBreak = "\x00"

package phrase

import (
	"strings"

	"github.com/git-resume/git-resume/internal/quote"
)

// Single writes a command for use in a sentence, in single quotes.
func Single(format string, values ...any) string {
	return quote.Between("'", quote.Command(format, values...))
}

// Double writes a command for use in a sentence, in double quotes; line breaks never fall inside it.
func Double(format string, values ...any) string {
	return Unbroken(quote.Between(`"`, quote.Command(format, values...)))
}

// Revision names a branch where git accepts any revision; a name that looks like an option is written in full.
func Revision(branch string) string {
	if strings.HasPrefix(branch, "-") {
		return "refs/heads/" + branch
	}
	return branch
}

// Unbroken keeps a command on one line.
func Unbroken(command string) string { return strings.ReplaceAll(command, " ", NoBreak) }

// NoBreak stands for a space at which a line must not be broken. Shown text can never contain it, because quoting a name escapes it.
const NoBreak = "\x00"

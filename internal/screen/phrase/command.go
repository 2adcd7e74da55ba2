package phrase

import (
	"strings"

	"github.com/git-resume/git-resume/internal/quote"
)

// Single formats a command and puts it in single quotes, or in brackets if the command contains special characters.
func Single(format string, values ...any) string {
	return quote.Between("'", quote.Command(format, values...))
}

// Double formats a command and puts it in double quotes, or in brackets if the command contains special characters. The result is never
// wrapped.
func Double(format string, values ...any) string {
	return Unbroken(quote.Between(`"`, quote.Command(format, values...)))
}

// Revision returns a branch name as an argument for git. A name that starts with a dash gets the prefix refs/heads/.
func Revision(branch string) string {
	if strings.HasPrefix(branch, "-") {
		return "refs/heads/" + branch
	}
	return branch
}

// Unbroken protects a command from line breaks.
func Unbroken(command string) string { return strings.ReplaceAll(command, " ", NoBreak) }

// NoBreak replaces a space at which a line must not be wrapped. It cannot occur in other text, because every quoting function escapes it or
// removes it.
const NoBreak = "\x00"

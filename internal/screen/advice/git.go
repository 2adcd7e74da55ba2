package advice

import (
	"strings"

	"github.com/git-resume/git-resume/internal/quote"
)

// gitSays returns git's own message, line by line.
func gitSays(text string) []string {
	var out []string
	for line := range strings.Lines(strings.TrimSpace(text)) {
		out = append(out, "git says: "+strings.TrimSpace(quote.Clean(line)))
	}
	return out
}

func hookLines(output string) []string {
	var out []string
	for line := range strings.Lines(strings.TrimSpace(output)) {
		out = append(out, "it said: "+quote.Clean(line))
		if len(out) == 5 {
			break
		}
	}
	return out
}

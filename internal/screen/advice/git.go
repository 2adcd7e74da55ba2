package advice

import (
	"errors"
	"strings"

	"github.com/git-resume/git-resume/internal/handler/merge"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/quote"
)

// GitSaid returns git's own message about an error, line by line, or nil if the error has none.
func GitSaid(err error) []string {
	var text string
	var update *resume.UpdateError
	var stopped *merge.StoppedError
	switch {
	case errors.As(err, &update):
		text = update.Text
	case errors.As(err, &stopped):
		text = stopped.Text
	}
	var out []string
	for line := range strings.Lines(strings.TrimSpace(text)) {
		line = strings.ReplaceAll(strings.TrimRight(line, " \t\r\n"), "\t", "  ")
		out = append(out, quote.Clean(line))
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

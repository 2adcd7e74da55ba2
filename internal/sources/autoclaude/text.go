package autoclaude

import (
	"strings"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/sources"
)

func doubt(code string, s conflicts.Severity, text string) sources.Doubt {
	return sources.Doubt{Code: code, Severity: s, Text: text}
}

func wordFor(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// firstLine returns the first line of a text, shortened if necessary.
func firstLine(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	count := 0
	for i := range text {
		if count++; count > longest {
			return text[:i] + "…"
		}
	}
	return text
}

const longest = 200

func short(id object.ID) string { return id.Short() }

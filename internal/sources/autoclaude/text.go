package autoclaude

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/sources"
)

func doubt(code string, s conflicts.Severity, text string) sources.Doubt {
	return sources.Doubt{Code: code, Severity: s, Text: text}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// wordFor returns the word that fits a number, without the number.
func wordFor(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// listNames joins names, and gives only the number of those beyond the first few.
func listNames(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
}

// firstLine returns the first line of a text, shortened if it is too long.
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

// longest limits the length of texts that are shown.
const longest = 200

// short returns a commit id in the abbreviated form that people see.
func short(id object.ID) string { return id.Short() }

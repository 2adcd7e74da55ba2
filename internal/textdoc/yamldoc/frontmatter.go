package yamldoc

import (
	"strings"

	"github.com/git-resume/git-resume/internal/textdoc"
)

// FrontMatter parses the YAML at the start of a text, between two "---" lines. It also returns the rest of the text after the second
// line. Without front matter, the first result is empty, and the second is the whole text.
func FrontMatter(text string) (front textdoc.Value, body string, err error) {
	rest, ok := strings.CutPrefix(strings.TrimLeft(text, "\n \t"), "---\n")
	if !ok {
		return textdoc.Value{}, text, nil
	}
	head, body, ok := strings.Cut("\n"+rest, "\n---")
	if !ok {
		return textdoc.Value{}, text, nil
	}
	if _, after, ok := strings.Cut(body, "\n"); ok {
		body = after
	} else {
		body = ""
	}
	if strings.TrimSpace(head) == "" {
		return textdoc.Value{}, body, nil
	}
	front, err = Parse([]byte(head))
	return front, body, err
}

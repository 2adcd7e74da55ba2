package yamldoc

import (
	"strings"

	"github.com/git-resume/git-resume/internal/textdoc"
)

// FrontMatter parses the YAML at the start of a text, between two "---" lines. It also returns the rest of the text after the second
// line. Without front matter, the first result is empty, and the second is the whole text. Values that should have been quoted are accepted.
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
	if front, err = Parse([]byte(head)); err != nil {
		if quoted, again := Parse([]byte(quoteValues(head))); again == nil {
			return quoted, body, nil
		}
	}
	return front, body, err
}

// quoteValues puts quotes around the plain values that contain ": ". Many tools write front matter without a YAML library, and forget
// these quotes.
func quoteValues(head string) string {
	lines := strings.Split(head, "\n")
	for i, line := range lines {
		key, value, ok := strings.Cut(line, ": ")
		value = strings.TrimSpace(value)
		if ok && strings.Contains(value, ": ") && !strings.ContainsAny(key, "\"'#[{") && !strings.ContainsAny(value[:1], "\"'[{|>&*!#%@`") {
			lines[i] = key + ": '" + strings.ReplaceAll(value, "'", "''") + "'"
		}
	}
	return strings.Join(lines, "\n")
}

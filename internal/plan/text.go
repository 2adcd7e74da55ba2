package plan

import (
	"strings"

	"github.com/git-resume/git-resume/internal/textdoc"
)

// maxSlug is the greatest length of a slug. It is short enough that a suffix can be added in a ref or an id.
const maxSlug = 40

// Slug turns a name into lower-case ASCII letters, digits and single hyphens. A slug is never empty, has at most 40
// characters, and does not begin or end with a hyphen.
func Slug(s string) string {
	if slug := words(s); slug != "" {
		return slug
	}
	return "run"
}

// words returns the slug of a text, or "" if the text has no ASCII letter or digit.
func words(s string) string {
	b := make([]byte, 0, maxSlug+1)
	gap := false
	for _, r := range s {
		if len(b) > maxSlug {
			break
		}
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		if !('a' <= r && r <= 'z' || '0' <= r && r <= '9') {
			gap = len(b) > 0
			continue
		}
		if gap {
			b = append(b, '-')
			gap = false
		}
		b = append(b, byte(r))
	}
	if len(b) <= maxSlug {
		return string(b)
	}
	cut := string(b[:maxSlug])
	// Leave out the last word rather than cut it in half, if more than half of the slug remains.
	if i := strings.LastIndexByte(string(b), '-'); i > maxSlug/2 {
		cut = cut[:i]
	}
	return strings.Trim(cut, "-")
}

// paragraphs cleans the text of a question. It keeps line breaks, turns tabs into spaces, and removes all other hidden characters.
func paragraphs(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\t':
			return ' '
		case textdoc.Hidden(r):
			return -1
		}
		return r
	}, s))
}

package plan

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxTitle is the maximum length of a title in characters. Longer titles are shortened.
const maxTitle = 500

// maxSlug is short enough that a suffix can be added in a ref or an id.
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
	// Leave out the last word rather than cut it in half, unless too little text would remain.
	if i := strings.LastIndexByte(string(b), '-'); i > maxSlug/2 {
		cut = cut[:i]
	}
	return strings.Trim(cut, "-")
}

// hidden reports whether a character controls the terminal or changes the order in which text is displayed.
func hidden(r rune) bool {
	return unicode.IsControl(r) ||
		'\u202a' <= r && r <= '\u202e' ||
		'\u2066' <= r && r <= '\u2069'
}

// oneLine turns a text into a title: one line, single spaces, no hidden characters, not too long. It removes hidden
// characters silently, because generated lists often contain them.
func oneLine(s string) string {
	var b strings.Builder
	gap := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			gap = b.Len() > 0
		case hidden(r):
		default:
			if gap {
				b.WriteByte(' ')
				gap = false
			}
			b.WriteRune(r)
		}
	}
	return shorten(b.String(), maxTitle)
}

// paragraphs cleans the text of a question. It keeps line breaks and removes all other hidden characters.
func paragraphs(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\t':
			return ' '
		case hidden(r):
			return -1
		}
		return r
	}, s))
}

// shorten cuts a text to n characters, including an ellipsis at the end.
func shorten(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	cut := 0
	for i := range s {
		if n--; n == 0 {
			cut = i
			break
		}
	}
	return strings.TrimSpace(s[:cut]) + "…"
}

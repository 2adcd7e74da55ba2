package textdoc

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxTitle is the maximum length of a title in characters. Longer titles are shortened.
const MaxTitle = 500

// Hidden reports whether a character controls the terminal or changes the order in which text is displayed.
func Hidden(r rune) bool {
	return unicode.IsControl(r) ||
		'\u202a' <= r && r <= '\u202e' ||
		'\u2066' <= r && r <= '\u2069'
}

// OneLine turns a text into a title: one line, single spaces, no hidden characters, not too long. It removes hidden
// characters silently, because generated lists often contain them.
func OneLine(s string) string {
	var b strings.Builder
	gap := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			gap = b.Len() > 0
		case Hidden(r):
		default:
			if gap {
				b.WriteByte(' ')
				gap = false
			}
			b.WriteRune(r)
		}
	}
	return Shorten(b.String(), MaxTitle)
}

// Shorten cuts a text that is longer than n characters to at most n characters, including an ellipsis.
func Shorten(s string, n int) string {
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

// LineAt returns the number of the line, from 1, that contains an offset.
func LineAt(text []byte, offset int) int {
	offset = max(0, min(offset, len(text)))
	return 1 + bytes.Count(text[:offset], []byte("\n"))
}

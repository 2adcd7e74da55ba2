package quote

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hidden reports a character that nobody sees on a terminal, or that tells the terminal something:
// control characters, those that change the direction of text, have no width, or carry a tag.
// Variation selectors are Hidden too; Clean and Escape let them pass where they choose the look of a symbol.
func Hidden(r rune) bool {
	switch {
	case unicode.IsControl(r), r == '\u2028', r == '\u2029', r == '\u2065':
		return true
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // of format, but drawn
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// blank reports a character that looks like a space and is none to a shell.
func blank(r rune) bool { return r != ' ' && unicode.Is(unicode.Zs, r) || r == '\u2800' }

// Clean makes text safe to show on one line: what is Hidden or not valid is left out, line ends and tabs become blanks.
func Clean(text string) string {
	if plain(text) {
		return text
	}
	var b strings.Builder
	var before rune
	for i, r := range text {
		switch {
		case r == '\n' || r == '\t':
			b.WriteByte(' ')
		case r == utf8.RuneError, Hidden(r) && !styles(before, r, text[i:]):
			continue
		default:
			b.WriteRune(r)
		}
		before = r
	}
	return b.String()
}

// Escape shows text of one line with nothing left out: what is Hidden or not valid stands there by its number.
// Blanks that are no plain space are shown so too. It counts what it had to escape.
func Escape(text string) (shown string, hidden int) {
	if plain(text) {
		return text, 0
	}
	var b strings.Builder
	var before rune
	for i, n := 0, 0; i < len(text); i += n {
		var r rune
		r, n = utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case Hidden(r) && !styles(before, r, text[i:]), blank(r), r == utf8.RuneError: // Clean leaves the sign for damage out, too
			b.WriteString(number(r))
		default:
			b.WriteRune(r)
			before = r
			continue
		}
		before = r
		hidden++
	}
	return b.String(), hidden
}

// number is how a character is written that is not to be drawn.
func number(r rune) string {
	switch {
	case r == '\t':
		return `\t`
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r > 0xffff:
		return fmt.Sprintf(`\U%08x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// plain reports text in which nothing can hide, as nearly all is.
func plain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// styles reports a variation selector that chooses between text and emoji for the symbol before it;
// rest is the text from the selector on. Behind anything else it would only hide something.
func styles(before, r rune, rest string) bool {
	if r != '\ufe0e' && r != '\ufe0f' {
		return false
	}
	if before < utf8.RuneSelf { // a digit in a key, with the frame that follows
		return strings.ContainsRune("0123456789#*", before) && strings.HasPrefix(rest[len("\ufe0f"):], "\u20e3")
	}
	return before == '\u2139' || unicode.In(before, unicode.So, unicode.Sm, unicode.Po, unicode.Pd)
}

// Printable keeps a hostile argument from speaking to the terminal, and from hiding anything.
func Printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if Hidden(r) {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	if len(s) > 80 {
		return strings.ToValidUTF8(s[:80], "") + "…"
	}
	return s
}

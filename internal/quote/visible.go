package quote

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hidden reports whether a character is invisible on a terminal or controls the terminal:
// control characters, and characters that change the direction of text, have no width, or carry a tag.
// Variation selectors are Hidden too; Clean and Escape keep them where they choose how a symbol looks.
func Hidden(r rune) bool {
	switch {
	case unicode.IsControl(r), r == '\u2028', r == '\u2029', r == '\u2065':
		return true
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // format characters, but visible
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// blank reports whether a character looks like a space but is not one to a shell.
func blank(r rune) bool { return r != ' ' && unicode.Is(unicode.Zs, r) || r == '\u2800' }

// Clean makes text safe to show on one line: it removes Hidden and invalid characters, and turns line ends and tabs into spaces.
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

// Escape shows text on one line without leaving anything out: Hidden and invalid characters, and spaces other than the plain one,
// are shown as numbers. It counts the characters that it had to escape.
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
		case Hidden(r) && !styles(before, r, text[i:]), blank(r), r == utf8.RuneError: // Clean also removes the replacement character
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

// number writes a character that must not be displayed as an escape sequence.
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

// plain reports whether nothing can be hidden in a text; that is true of nearly all texts.
func plain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// styles reports whether a variation selector chooses between text and emoji for the symbol before it;
// rest is the text from the selector on. After any other character, the selector would only hide something.
func styles(before, r rune, rest string) bool {
	if r != '\ufe0e' && r != '\ufe0f' {
		return false
	}
	if before < utf8.RuneSelf { // a digit of a keycap, followed by the character for the key's frame
		return strings.ContainsRune("0123456789#*", before) && strings.HasPrefix(rest[len("\ufe0f"):], "\u20e3")
	}
	return before == '\u2139' || unicode.In(before, unicode.So, unicode.Sm, unicode.Po, unicode.Pd)
}

// Printable prevents a hostile argument from controlling the terminal and from hiding anything.
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

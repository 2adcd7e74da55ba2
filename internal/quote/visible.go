package quote

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Hidden reports whether a character is invisible or controls the terminal, such as an escape or a zero-width space.
// Clean and Escape make an exception for variation selectors after a symbol, which choose between text and emoji style.
func Hidden(r rune) bool {
	switch {
	case unicode.IsControl(r), r == '\u2028', r == '\u2029', r == '\u2065':
		return true
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // these format characters are visible
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// blank reports whether a character looks like a space but is a different one, such as U+00A0.
func blank(r rune) bool { return r != ' ' && unicode.Is(unicode.Zs, r) || r == '\u2800' }

// Clean makes text safe to show on one line: it turns newlines and tabs into spaces, and removes invalid characters and all other hidden
// ones (see Hidden). It leaves nothing of a sequence that sets a colour, because "[31m" alone is noise.
func Clean(text string) string {
	if plain(text) {
		return text
	}
	text = colours().ReplaceAllString(text, "")
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

// colours matches sequences that set a colour or clear the rest of a line. Clean removes them completely. Of any other sequence, Clean
// keeps the visible part, so that nobody can hide words in it.
var colours = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\x1b\[[0-9;:]{0,32}[mK]`) })

// BeginsColour reports whether text is the beginning of a sequence that sets a colour, but not the whole sequence.
func BeginsColour(text string) bool {
	rest, ok := strings.CutPrefix(text, "\x1b")
	return ok && len(rest) <= 33 && strings.Trim(strings.TrimPrefix(rest, "["), "0123456789;:") == "" && (rest == "" || rest[0] == '[')
}

// Escape shows text on one line without leaving anything out. It writes hidden characters (see Hidden), invalid characters and unusual
// spaces as escape sequences, such as \u200b, and returns how many characters it had to escape.
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
		case Hidden(r) && !styles(before, r, text[i:]), blank(r), r == utf8.RuneError: // utf8.RuneError is escaped because Clean removes it
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

// number writes a character as an escape sequence, because the character itself must not be displayed.
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

// plain reports whether a text consists of visible ASCII characters only, as nearly all texts do.
func plain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// styles reports whether r is a variation selector that chooses text or emoji style for the symbol before it. The argument "rest" is the
// text that starts with r.
func styles(before, r rune, rest string) bool {
	if r != '\ufe0e' && r != '\ufe0f' {
		return false
	}
	if before < utf8.RuneSelf { // a keycap emoji is a digit, "#" or "*", the selector, and the character U+20E3
		return strings.ContainsRune("0123456789#*", before) && strings.HasPrefix(rest[len("\ufe0f"):], "\u20e3")
	}
	return before == '\u2139' || unicode.In(before, unicode.So, unicode.Sm, unicode.Po, unicode.Pd)
}

// Printable replaces hidden and invalid characters with "?", so that a hostile argument cannot control the terminal. It cuts a text after
// 80 bytes.
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

package screen

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/git-resume/git-resume/internal/quote"
)

// unseen is what no text may hold, wherever it stands.
func unseen(r rune) bool { return quote.Hidden(r) && r != '\ufe0e' && r != '\ufe0f' }

func FuzzClean(f *testing.F) {
	for _, text := range []string{"plain", "a\x1b[31mb\x07", "\u202eabc\u2066", "\xff\xfe\x80", "a\tb\nc\r\n", "\u009b2J", "\u2028\u2029\ufeff\ufffd", "é✓漢"} {
		f.Add(text, 12)
	}
	f.Fuzz(func(t *testing.T, text string, width int) {
		got := Clean(text)
		if short := cut(got, width); width >= 5 && utf8.RuneCountInString(short) > width {
			t.Fatalf("%q is wider than %d", short, width)
		}
		// The last gate lets lines through, and nothing else of the kind.
		last, ok := harmless([]any{text})[0].(string)
		if !ok || strings.Count(last, "\n") != strings.Count(text, "\n") || strings.ContainsFunc(strings.ReplaceAll(last, "\n", ""), unseen) {
			t.Fatalf("%q passes as %q", text, last)
		}
	})
}

// FuzzQuoted: what is quoted can be read back, byte for byte, and speaks to no terminal.
func FuzzQuoted(f *testing.F) {
	for _, text := range []string{"", "plain", `a"b\c`, "\x1b]0;x\x07", "\t\n\x00", "\xff\xc3\x28", "é\u202e", `"quoted"`, `\033`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, form := range []func(string) string{quoteC, quoteLow} {
			got := form(text)
			if back := unquoted(got); back != text {
				t.Fatalf("%q is written as %s and read as %q", text, got, back)
			}
			if strings.ContainsFunc(got, quote.Hidden) || !utf8.ValidString(got) {
				t.Fatalf("%q is written as %q", text, got)
			}
		}
		for _, b := range []byte(quoteC(text)) {
			if b < ' ' || b > '~' {
				t.Fatalf("%q is written with %q", text, b)
			}
		}
		if tab := quoteTab(text); strings.ContainsAny(tab, "\t\x00") || strings.HasPrefix(tab, `"`) && unquoted(tab) != text || !strings.HasPrefix(tab, `"`) && tab != text {
			t.Fatalf("%q is a field %q", text, tab)
		}
	})
}

// unquoted reads a text as git reads a quoted path.
func unquoted(text string) string {
	if !strings.HasPrefix(text, `"`) {
		return text
	}
	inner := strings.TrimSuffix(text[1:], `"`)
	var b strings.Builder
	for i := 0; i < len(inner); i++ {
		if inner[i] != '\\' {
			b.WriteByte(inner[i])
			continue
		}
		i++
		switch c := inner[i]; {
		case c == 'n':
			b.WriteByte('\n')
		case c == 't':
			b.WriteByte('\t')
		case c >= '0' && c <= '3':
			b.WriteByte((c-'0')<<6 | (inner[i+1]-'0')<<3 | (inner[i+2] - '0'))
			i += 2
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

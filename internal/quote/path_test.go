package quote

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzPath checks that a quoted text can be read back byte for byte and cannot control a terminal.
func FuzzPath(f *testing.F) {
	for _, text := range []string{"", "plain", `a"b\c`, "\x1b]0;x\x07", "\t\n\x00", "\xff\xc3\x28", "é\u202e", `"quoted"`, `\033`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, high := range []bool{true, false} {
			got := Path(text, high)
			if back := unquoted(got); back != text {
				t.Fatalf("%q is written as %s and read as %q", text, got, back)
			}
			if strings.ContainsFunc(got, Hidden) || !utf8.ValidString(got) {
				t.Fatalf("%q is written as %q", text, got)
			}
		}
		for _, b := range []byte(Path(text, true)) {
			if b < ' ' || b > '~' {
				t.Fatalf("%q is written with %q", text, b)
			}
		}
	})
}

// unquoted reads a quoted path the way git reads it.
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

package page

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/phrase"
)

// unseen reports whether a character must never be printed. The two variation selectors are allowed.
func unseen(r rune) bool { return quote.Hidden(r) && r != '\ufe0e' && r != '\ufe0f' }

func FuzzClean(f *testing.F) {
	for _, text := range []string{"plain", "a\x1b[31mb\x07", "\u202eabc\u2066", "\xff\xfe\x80", "a\tb\nc\r\n", "\u009b2J", "\u2028\u2029\ufeff\ufffd", "é✓漢"} {
		f.Add(text, 12)
	}
	f.Fuzz(func(t *testing.T, text string, width int) {
		got := quote.Clean(text)
		if short := phrase.Cut(got, width); width >= 5 && utf8.RuneCountInString(short) > width {
			t.Fatalf("%q is wider than %d", short, width)
		}
		// The function "harmless" keeps line breaks and removes all other control and invisible characters.
		last, ok := harmless([]any{text})[0].(string)
		if !ok || strings.Count(last, "\n") != strings.Count(text, "\n") || strings.ContainsFunc(strings.ReplaceAll(last, "\n", ""), unseen) {
			t.Fatalf("%q passes as %q", text, last)
		}
	})
}

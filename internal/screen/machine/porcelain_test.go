package machine

import (
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/quote"
)

// FuzzQuoteTab checks that a field contains no character that ends it, and is quoted only if it would be mistaken for something else.
func FuzzQuoteTab(f *testing.F) {
	for _, text := range []string{"", "plain", `a"b\c`, "\t\n\x00", "\xff\xc3\x28", `"quoted"`, `\033`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if tab := quoteTab(text); strings.ContainsAny(tab, "\t\x00") || tab != text && tab != quote.Path(text, true) || tab == text && strings.HasPrefix(text, `"`) {
			t.Fatalf("%q is a field %q", text, tab)
		}
	})
}

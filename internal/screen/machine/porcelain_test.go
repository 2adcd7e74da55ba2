package machine

import (
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/quote"
)

// FuzzQuoteTab checks that quoteTab returns no tab and no NUL, and quotes every text that starts with a quotation mark.
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

package commit

import (
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/settings"
)

// FuzzCleanMessage checks that a cleaned message does not change if it is cleaned again. The cleaned message must have no trailing blanks,
// and no two empty lines in a row.
func FuzzCleanMessage(f *testing.F) {
	for _, text := range []string{"", "a", "\n\n a \t\r\n\n\n\nb\n\n", "# c\nx", "\x00\v\f"} {
		f.Add(text)
	}
	config := &settings.Config{}
	f.Fuzz(func(t *testing.T, text string) {
		got := cleanMessage(text, config)
		if cleanMessage(got, config) != got || strings.Contains(got, "\n\n\n") || strings.HasPrefix(got, "\n") && got != "\n" || !strings.HasSuffix(got, "\n") {
			t.Fatalf("%q became %q", text, got)
		}
		for l := range strings.Lines(got) {
			if l = strings.TrimSuffix(l, "\n"); strings.TrimRight(l, " \t\r") != l {
				t.Fatalf("%q became %q", text, got)
			}
		}
	})
}

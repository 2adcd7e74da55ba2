package worktree

import (
	"strconv"
	"testing"
)

// FuzzQuoteC: a path on a line of its own is plain text in quotes, and says the path again.
func FuzzQuoteC(f *testing.F) {
	for _, path := range []string{"a", "a\nb", `"\`, "\xff\x00", "é"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		got := quoteC(path)
		for _, b := range []byte(got) {
			if b < ' ' || b > '~' {
				t.Fatalf("%q is written as %q", path, got)
			}
		}
		if back, err := strconv.Unquote(got); err != nil || back != path { // Go reads octal numbers of three digits as git does
			t.Fatalf("%q is written as %s and read as %q: %v", path, got, back, err)
		}
	})
}

package settings

import (
	"strings"
	"testing"
)

// FuzzColour checks that a setting gives a colour or nothing, and never any other escape sequence.
func FuzzColour(f *testing.F) {
	for _, text := range []string{"bold red", "#12aBcF ul", "normal 255", "no-bold default", "\x1b]0;x\a", "reset 7 8 9"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		code, ok := colour(text)
		if !ok && code != "" || strings.Trim(strings.TrimSuffix(strings.TrimPrefix(code, "\x1b["), "m"), "0123456789;") != "" {
			t.Fatalf("%q is %q", text, code)
		}
	})
}

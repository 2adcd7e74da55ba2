package dotgit

import (
	"strings"
	"testing"
)

func FuzzParseSettings(f *testing.F) {
	f.Add("[core]\n\tbare = true\n")
	f.Add("[core] worktree = \"a\\\"#\\\n")
	f.Fuzz(func(t *testing.T, text string) {
		for key := range ParseSettings(text) {
			if !strings.Contains(key, ".") {
				t.Errorf("key %q has no section", key)
			}
		}
	})
}

package checkpoint

import (
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/proc"
)

// FuzzNewActor checks that the recorded program name is short and has no control characters, whatever the real name is.
func FuzzNewActor(f *testing.F) {
	f.Add("sh", "-c\x1b[31m")
	f.Add("", "")
	f.Add("\xff", "\x00")
	f.Fuzz(func(t *testing.T, word, more string) {
		own := NewActor(proc.Host{Name: "h"}, proc.Process{PID: 7, Start: "1", Args: []string{word, more}}, "c")
		if len(own.Command) > maxCommand+len("…") || strings.ContainsFunc(own.Command, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }) {
			t.Fatalf("%q %q is recorded as %q", word, more, own.Command)
		}
	})
}

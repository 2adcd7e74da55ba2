package proc

import (
	"strings"
	"testing"
)

// FuzzShell checks that a command line that counts as a terminal shell does not also count as a script, or as a program that only runs one
// command for another process.
func FuzzShell(f *testing.F) {
	for _, word := range []string{"", "plain/path-1", "it's", "$(x)`y`\n;", "'", "\x00", "~", "a=b", "-c"} {
		f.Add(word, "sh")
	}
	f.Fuzz(func(t *testing.T, word, program string) {
		args := strings.Split(program+"\x00"+word, "\x00")
		if IsTerminalShell(args) && IsScript(args) || isCarrier(args) && IsTerminalShell(args) {
			t.Fatalf("%q is two things at once", args)
		}
	})
}

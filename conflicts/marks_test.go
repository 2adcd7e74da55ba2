package conflicts

import (
	"strings"
	"testing"
)

// FuzzMarks writes conflicts as git does and parses them again. Each parsed mark must contain all lines of both sides.
func FuzzMarks(f *testing.F) {
	f.Add("a\nb\n", "ours\n", "theirs\n", "tail\n", 7)
	f.Add("", "=======\n", "<<<<<<< x\n", "", 3)
	f.Add(">>>>>>> theirs\n", "\x00", "\r\n", "x", 1)
	f.Fuzz(func(t *testing.T, before, ours, theirs, after string, size int) {
		const a, b = "3f2c-ours", "9d1e-theirs" // the names of the two sides in the conflict markers; texts that contain these names are skipped
		if size < 1 || size > 40 || strings.Contains(before+ours+theirs+after, a) || strings.Contains(before+ours+theirs+after, b) {
			return
		}
		lined := func(s string) string {
			if s != "" && !strings.HasSuffix(s, "\n") {
				return s + "\n"
			}
			return s
		}
		text := lined(before) + strings.Repeat("<", size) + " " + a + "\n" + lined(ours) + strings.Repeat("=", size) + "\n" + lined(theirs) +
			strings.Repeat(">", size) + " " + b + ":path\n" + after
		marks := parseMarks(linesOf([]byte(text)), a, b)
		if len(marks) != 1 || !marks[0].holds(linesOf([]byte(ours)), linesOf([]byte(theirs))) {
			t.Fatalf("%q gave %v", text, marks)
		}
		_ = parseMarks(linesOf([]byte(before+ours+theirs+after)), "", "")
	})
}

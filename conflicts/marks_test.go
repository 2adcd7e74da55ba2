package conflicts

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// FuzzMarks writes conflicts as git does and parses them again. The lines of both sides must be found.
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
		m := parseMerged(linesOf([]byte(text)), a, b)
		whole := func(side string) [][]byte { return linesOf([]byte(lined(before) + lined(side) + after)) }
		places, err := m.places(whole(ours), whole(theirs))
		if len(m.marks) != 1 || err != nil {
			t.Fatalf("%q gave %v, %v", text, m.marks, err)
		}
		for i, side := range []string{ours, theirs} {
			if len(places[i]) != 1 {
				t.Fatalf("%q gave %v", text, places)
			}
			s := places[i][0]
			if got := whole(side)[s.At:s.End()]; !sameLines(got, linesOf([]byte(side))) && len(m.marks[0].middles) == 1 {
				t.Fatalf("%q gave %q for %q", text, got, side)
			}
		}
		_ = parseMerged(linesOf([]byte(before+ours+theirs+after)), "", "")
	})
}

func sameLines(a, b [][]byte) bool {
	return slices.EqualFunc(a, b, func(x, y []byte) bool { return bytes.Equal(bytes.TrimRight(x, "\r\n"), bytes.TrimRight(y, "\r\n")) })
}

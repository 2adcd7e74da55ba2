package conflicts

import (
	"bytes"
	"strings"
	"testing"
)

// FuzzMarks writes conflicts as git does, and reads them: every line of both sides is in its mark.
func FuzzMarks(f *testing.F) {
	f.Add("a\nb\n", "ours\n", "theirs\n", "tail\n", 7)
	f.Add("", "=======\n", "<<<<<<< x\n", "", 3)
	f.Add(">>>>>>> theirs\n", "\x00", "\r\n", "x", 1)
	f.Fuzz(func(t *testing.T, before, ours, theirs, after string, size int) {
		const a, b = "3f2c-ours", "9d1e-theirs" // ids in practice: no text has them by chance
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

// FuzzMergeTexts: the regions of a merge follow each other and cover all three texts; a side that did not change decides nothing,
// and what both made the same is no conflict.
func FuzzMergeTexts(f *testing.F) {
	f.Add([]byte("a\nb\nc\n"), []byte("a\nB\nc\n"), []byte("a\nb\nC\n"))
	f.Add([]byte(""), []byte("x"), []byte("y\n"))
	f.Add([]byte("a\r\n\x00"), []byte("\n\n"), []byte("a"))
	f.Fuzz(func(t *testing.T, base, ours, theirs []byte) {
		for _, texts := range [][3][]byte{{base, ours, theirs}, {base, ours, base}, {base, base, theirs}, {base, ours, ours}} {
			regions, err := mergeTexts(texts)
			if err != nil {
				continue
			}
			at := [3]int{}
			conflict := false
			for _, r := range regions {
				for side, s := range [3]span{r.base, r.ours, r.theirs} {
					if s.at < at[side] {
						t.Fatalf("regions %+v overlap", regions)
					}
					at[side] = s.end()
				}
				conflict = conflict || r.by == nobody
			}
			for side, text := range texts {
				if at[side] > len(linesOf(text)) {
					t.Fatalf("regions %+v go beyond the text", regions)
				}
			}
			plain := bytes.Equal(texts[1], texts[2]) || bytes.Equal(texts[0], texts[1]) || bytes.Equal(texts[0], texts[2])
			if conflict && plain {
				t.Fatalf("%q: a conflict where one side did not change, or both did the same", texts)
			}
		}
	})
}

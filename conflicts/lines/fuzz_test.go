package lines

import (
	"bytes"
	"testing"
)

// FuzzMergeTexts checks that the regions of a merge are in order and inside all three texts. If only one side changed,
// or both sides made the same change, there must be no conflict.
func FuzzMergeTexts(f *testing.F) {
	f.Add([]byte("a\nb\nc\n"), []byte("a\nB\nc\n"), []byte("a\nb\nC\n"))
	f.Add([]byte(""), []byte("x"), []byte("y\n"))
	f.Add([]byte("a\r\n\x00"), []byte("\n\n"), []byte("a"))
	f.Fuzz(func(t *testing.T, base, ours, theirs []byte) {
		for _, texts := range [][3][]byte{{base, ours, theirs}, {base, ours, base}, {base, base, theirs}, {base, ours, ours}} {
			regions, err := Merge(texts)
			if err != nil {
				continue
			}
			at := [3]int{}
			conflict := false
			for _, r := range regions {
				for side, s := range [3]Span{r.Base, r.Ours, r.Theirs} {
					if s.At < at[side] {
						t.Fatalf("regions %+v overlap", regions)
					}
					at[side] = s.End()
				}
				conflict = conflict || r.By == Nobody
			}
			for side, text := range texts {
				if at[side] > len(Numbers{}.Cut(text)) {
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

package histogram

import (
	"bytes"
	"testing"

	"github.com/git-resume/git-resume/conflicts/lines"
)

// FuzzMergeTexts checks that the regions of a merge are in order and inside all three texts. If only one side changed,
// or both sides made the same change, there must be no conflict.
func FuzzMergeTexts(f *testing.F) {
	f.Add([]byte("a\nb\nc\n"), []byte("a\nB\nc\n"), []byte("a\nb\nC\n"))
	f.Add([]byte(""), []byte("x"), []byte("y\n"))
	f.Add([]byte("a\r\n\x00"), []byte("\n\n"), []byte("a"))
	f.Fuzz(func(t *testing.T, base, ours, theirs []byte) {
		for _, texts := range [][3][]byte{{base, ours, theirs}, {base, ours, base}, {base, base, theirs}, {base, ours, ours}} {
			in := lines.Numbers{}
			regions, err := mergeLines(in.Cut(texts[0]), in.Cut(texts[1]), in.Cut(texts[2]))
			if err != nil {
				continue
			}
			at := [3]int{}
			conflict := false
			for _, r := range regions {
				for side, s := range [3]Span{r.base, r.ours, r.theirs} {
					if s.At < at[side] {
						t.Fatalf("regions %+v overlap", regions)
					}
					at[side] = s.End()
				}
				conflict = conflict || r.by == nobody
			}
			for side, text := range texts {
				if at[side] > len(in.Cut(text)) {
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

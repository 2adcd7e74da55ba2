package lines

import (
	"slices"
	"testing"
)

func TestCut_tellsALastLineWithoutNewlineApart(t *testing.T) {
	in := Numbers{}
	got := in.Cut([]byte("a\nb\na"))
	if !slices.Equal(got, []Line{0, 1, 2}) || len(in.Cut(nil)) != 0 {
		t.Errorf("%v", got)
	}
}

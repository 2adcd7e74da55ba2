package lines

import (
	"slices"
	"testing"
)

func TestTraceBack_followsLinesToOlderText(t *testing.T) {
	// Line 2 became three lines, and the old lines 8 and 9 were removed. Lines are counted from 0.
	hunks := []Hunk{{Span{2, 1}, Span{2, 3}}, {Span{8, 2}, Span{10, 0}}}
	for _, tc := range []struct {
		name       string
		lines      []Span
		made, kept []Span
	}{
		{"before all", []Span{{0, 2}}, nil, []Span{{0, 2}}},
		{"inside a hunk", []Span{{3, 1}}, []Span{{3, 1}}, nil},
		{"partly", []Span{{1, 3}}, []Span{{2, 2}}, []Span{{1, 1}}},
		{"behind the first", []Span{{6, 2}}, nil, []Span{{4, 2}}},
		{"around all", []Span{{0, 12}}, []Span{{2, 3}, {10, 0}}, []Span{{0, 2}, {3, 5}, {10, 2}}},
		{"a place where lines are gone", []Span{{10, 0}}, []Span{{10, 0}}, nil},
		{"a place before lines that came", []Span{{2, 0}}, nil, []Span{{2, 0}}},
		{"a place behind lines that came", []Span{{5, 0}}, nil, []Span{{3, 0}}},
		{"a place among lines that came", []Span{{4, 0}}, []Span{{4, 0}}, nil},
		{"a place behind all", []Span{{13, 0}}, nil, []Span{{13, 0}}},
		{"behind all", []Span{{12, 1}}, nil, []Span{{12, 1}}},
	} {
		made, kept := traceBack(hunks, tc.lines)
		if !slices.Equal(made, tc.made) || !slices.Equal(kept, tc.kept) {
			t.Errorf("%s: made %v, kept %v; want %v, %v", tc.name, made, kept, tc.made, tc.kept)
		}
	}
}

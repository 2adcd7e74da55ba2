package conflicts

import (
	"slices"
	"testing"
)

func TestTraceBack_followsLinesToOlderText(t *testing.T) {
	// line 2 became three lines, and two lines are gone before line 10
	hunks := []hunk{{span{2, 1}, span{2, 3}}, {span{8, 2}, span{10, 0}}}
	for _, tc := range []struct {
		name       string
		lines      []span
		made, kept []span
	}{
		{"before all", []span{{0, 2}}, nil, []span{{0, 2}}},
		{"inside a hunk", []span{{3, 1}}, []span{{3, 1}}, nil},
		{"partly", []span{{1, 3}}, []span{{2, 2}}, []span{{1, 1}}},
		{"behind the first", []span{{6, 2}}, nil, []span{{4, 2}}},
		{"around all", []span{{0, 12}}, []span{{2, 3}, {10, 0}}, []span{{0, 2}, {3, 5}, {10, 2}}},
		{"a place where lines are gone", []span{{10, 0}}, []span{{10, 0}}, nil},
		{"a place before lines that came", []span{{2, 0}}, nil, []span{{2, 0}}},
		{"a place behind lines that came", []span{{5, 0}}, nil, []span{{3, 0}}},
		{"a place among lines that came", []span{{4, 0}}, []span{{4, 0}}, nil},
		{"a place behind all", []span{{13, 0}}, nil, []span{{13, 0}}},
		{"behind all", []span{{12, 1}}, nil, []span{{12, 1}}},
	} {
		made, kept := traceBack(hunks, tc.lines)
		if !slices.Equal(made, tc.made) || !slices.Equal(kept, tc.kept) {
			t.Errorf("%s: made %v, kept %v; want %v, %v", tc.name, made, kept, tc.made, tc.kept)
		}
	}
}

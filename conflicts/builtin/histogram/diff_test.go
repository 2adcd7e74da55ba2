package histogram

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/conflicts/lines"
	"pgregory.net/rapid"
)

// The function "numbers" returns a text with one line for each letter of s. A Line is a number, so equal letters become equal lines.
func numbers(s string) []Line {
	out := make([]Line, len(s))
	for i := range s {
		out[i] = Line(s[i])
	}
	return out
}

func show(hunks []lines.Hunk) string {
	var out []string
	for _, h := range hunks {
		out = append(out, fmt.Sprintf("%d,%d>%d,%d", h.Old.At, h.Old.N, h.New.At, h.New.N))
	}
	return strings.Join(out, " ")
}

// The expected positions come from "git diff --histogram --no-indent-heuristic -U0".
func TestDiffLines_cutsHunksAsGitDoes(t *testing.T) {
	for _, tc := range []struct{ name, a, b, want string }{
		{"nothing to do", "abc", "abc", ""},
		{"from nothing", "", "ab", "0,0>0,2"},
		{"one line replaced", "abc", "axc", "1,1>1,1"},
		{"nothing in common", "abc", "xyz", "0,3>0,3"},
		{"an added run slides to the end of what repeats", "a{}b", "a{}{}b", "3,0>3,2"},
		{"a removed run slides down too", "a{}{}b", "a{}b", "3,2>3,0"},
		{"two runs that meet while sliding become one", "axbxc", "axxxbxc", "2,0>2,2"},
		{"rare lines hold, frequent ones do not", "1a2a3a4", "9a2a8a7", "0,1>0,1 4,1>4,1 6,1>6,1"},
	} {
		hunks, err := diff(numbers(tc.a), numbers(tc.b))
		if err != nil || show(hunks) != tc.want {
			t.Errorf("%s: %q, want %q (%v)", tc.name, show(hunks), tc.want, err)
		}
	}
}

func TestDiffLines_leadsFromOneTextToTheOther(t *testing.T) {
	text := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 6), func(i int) Line { return Line(i) }), 0, 200)
	rapid.Check(t, func(rt *rapid.T) {
		a, b := text.Draw(rt, "a"), text.Draw(rt, "b")
		hunks, err := diff(a, b)
		if err != nil {
			rt.Fatal(err)
		}
		var made []Line
		at := 0
		for _, h := range hunks {
			made = append(made, a[at:h.Old.At]...)
			if len(made) != h.New.At {
				rt.Fatalf("hunk %v begins at %d", h, len(made))
			}
			made = append(made, b[h.New.At:h.New.End()]...)
			at = h.Old.End()
		}
		if made = append(made, a[at:]...); !slices.Equal(made, b) {
			rt.Fatalf("made %v, want %v", made, b)
		}
	})
}

func TestDiffLines_givesUpInsteadOfTakingForEver(t *testing.T) {
	var a, b []Line
	for i := range 200_000 {
		a = append(a, Line(i%7*(i%3)))
		b = append(b, Line(i%5*(i%11)))
	}
	if _, err := diff(a, b); err != lines.ErrLimit {
		t.Errorf("%v, want a limit", err)
	}
}

func TestMergeLines_changesThatTouchConflict(t *testing.T) {
	for _, tc := range []struct{ name, base, ours, theirs, want string }{
		{"far apart", "abcdefg", "xbcdefg", "abcdefy", ""},
		{"one line between", "abc", "xbc", "aby", ""},
		{"touching", "abcd", "axcd", "abyd", "1,2|1,2"},
		{"the same change", "abc", "axc", "axc", ""},
		{"the same, and more on one side", "abcde", "axcde", "axyde", "2,1|2,1"},
		{"one deletes what the other changes", "abc", "ac", "axc", "1,0|1,1"},
		{"both add at the end", "a", "ax", "ay", "1,1|1,1"},
	} {
		regions, err := mergeLines(numbers(tc.base), numbers(tc.ours), numbers(tc.theirs))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range regions {
			if r.by == nobody {
				got = append(got, fmt.Sprintf("%d,%d|%d,%d", r.ours.At, r.ours.N, r.theirs.At, r.theirs.N))
			}
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

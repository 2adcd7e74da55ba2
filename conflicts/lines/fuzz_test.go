package lines

import (
	"slices"
	"testing"
)

func letters(s string) []Line {
	out := make([]Line, len(s))
	for i := range s {
		out[i] = Line(s[i])
	}
	return out
}

// FuzzDiff checks that the hunks turn one text into the other, and that Fewest marks as few lines as possible.
func FuzzDiff(f *testing.F) {
	f.Add("abc", "axc")
	f.Add("", "ab")
	f.Add("a{}b", "a{}{}b")
	f.Add("aabbaabb", "bbaabbaa")
	f.Add("1a2a3a4", "9a2a8a7")
	f.Fuzz(func(t *testing.T, from, to string) {
		a, b := letters(from[:min(len(from), 200)]), letters(to[:min(len(to), 200)])
		hunks, err := Diff(a, b)
		if err != nil {
			t.Fatal(err)
		}
		requireLeads(t, a, b, hunks)
		goneA, goneB, err := Fewest(a, b)
		if err != nil {
			t.Fatal(err)
		}
		if kept := len(a) - count(goneA); kept != len(b)-count(goneB) || kept != longestCommon(a, b) {
			t.Fatalf("%q to %q keeps %d lines, not %d", from, to, kept, longestCommon(a, b))
		}
	})
}

// requireLeads checks that the hunks turn a into b.
func requireLeads(t *testing.T, a, b []Line, hunks []Hunk) {
	t.Helper()
	var made []Line
	at := 0
	for _, h := range hunks {
		made = append(made, a[at:h.Old.At]...)
		if len(made) != h.New.At {
			t.Fatalf("hunk %v begins at %d", h, len(made))
		}
		made = append(made, b[h.New.At:h.New.End()]...)
		at = h.Old.End()
	}
	if made = append(made, a[at:]...); !slices.Equal(made, b) {
		t.Fatalf("made %v, want %v", made, b)
	}
}

func count(gone []bool) (n int) {
	for _, g := range gone {
		if g {
			n++
		}
	}
	return n
}

// longestCommon returns how many lines two texts can have in common, in the same order.
func longestCommon(a, b []Line) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		corner := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = corner + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			corner = above
		}
	}
	return row[len(b)]
}

// FuzzOrigins changes the lines around two pieces of a text. Each found position must have the lines of its piece, and the second must
// come after the first. A piece that occurs only once must be found at its true position.
func FuzzOrigins(f *testing.F) {
	f.Add("one", "PIECE", "two", "OTHER", "three", "o", "twoo", "ree")
	f.Add("", "", "", "", "", "", "", "")
	f.Add("aaa", "a", "aaa", "aa", "aaa", "aa", "a", "aaaa")
	f.Fuzz(func(t *testing.T, a, first, b, second, c, a2, b2, c2 string) {
		old, text := letters(a+first+b+second+c), letters(a2+first+b2+second+c2)
		pieces := []Span{{len(a2), len(first)}, {len(a2 + first + b2), len(second)}}
		found, ok, err := Origins(old, text, pieces)
		if err == ErrLimit || !ok && err == nil && (occurs(old, letters(first)) > 1 || occurs(old, letters(second)) > 1) {
			return // a piece occurs more than once. If Origins takes a later place for the first piece, it may not find the second one after it
		}
		if err != nil || !ok {
			t.Fatalf("%v, %v", ok, err)
		}
		from := 0
		for i, p := range pieces {
			want := text[p.At:p.End()]
			if found[i].At < from || !slices.Equal(old[found[i].At:found[i].End()], want) {
				t.Fatalf("piece %d is at %v", i, found)
			}
			if at := []int{len(a), len(a + first + b)}[i]; len(want) > 0 && occurs(old, want) == 1 && found[i].At != at {
				t.Fatalf("piece %d is at %v, want %d", i, found[i], at)
			}
			from = found[i].End()
		}
	})
}

func occurs(text, piece []Line) (n int) {
	for at := 0; at+len(piece) <= len(text); at++ {
		if slices.Equal(text[at:at+len(piece)], piece) {
			n++
		}
	}
	return n
}

func TestDiff_givesUpInsteadOfTakingForEver(t *testing.T) {
	var a, b []Line
	for i := range 40_000 {
		a = append(a, Line(i%7*(i%3)))
		b = append(b, Line(i%5*(i%11)))
	}
	if _, err := Diff(a, b); err != ErrLimit {
		t.Errorf("%v, want a limit", err)
	}
	// A long text with few changes is no problem, because most of its lines occur once.
	a, b = nil, nil
	for i := range 40_000 {
		a = append(a, Line(i))
		if i%1000 != 7 {
			b = append(b, Line(i))
		}
	}
	hunks, err := Diff(a, b)
	if err != nil || len(hunks) != 40 {
		t.Errorf("%d hunks, %v", len(hunks), err)
	}
}

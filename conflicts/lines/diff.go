package lines

import (
	"errors"
	"slices"
	"sort"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// ErrLimit says that two texts are too large and too different to be compared in a limited time.
var ErrLimit = errors.New("too large to compare")

// maxFewest limits the number of lines given to go-diff, which becomes slow for long and very different texts. A limit on the time would
// make the result depend on the load of the machine.
const maxFewest = 12_000

// Span is a range of lines: N lines starting at line number At, counted from 0.
type Span struct{ At, N int }

func (s Span) End() int { return s.At + s.N }

// Hunk replaces the lines Old of one text with the lines New of another.
type Hunk struct{ Old, New Span }

// Diff lists the hunks that turn a into b, in order. It pairs the lines that occur once in each text, and leaves the lines between two
// such pairs to go-diff. Even in long texts, there are usually few lines between two pairs. If there are too many, Diff returns ErrLimit.
func Diff(a, b []Line) ([]Hunk, error) {
	d := differ{a: a, b: b, goneA: make([]bool, len(a)), goneB: make([]bool, len(b))}
	x, y := trim(a, b, Span{0, len(a)}, Span{0, len(b)})
	for _, p := range anchors(a, b, x, y) {
		if err := d.between(Span{x.At, p.a - x.At}, Span{y.At, p.b - y.At}); err != nil {
			return nil, err
		}
		x, y = Span{p.a + 1, x.End() - p.a - 1}, Span{p.b + 1, y.End() - p.b - 1}
	}
	if err := d.between(x, y); err != nil {
		return nil, err
	}
	return Hunks(a, b, d.goneA, d.goneB), nil
}

// trim leaves out equal lines at the beginning and at the end of two parts.
func trim(a, b []Line, x, y Span) (Span, Span) {
	for x.N > 0 && y.N > 0 && a[x.At] == b[y.At] {
		x, y = Span{x.At + 1, x.N - 1}, Span{y.At + 1, y.N - 1}
	}
	for x.N > 0 && y.N > 0 && a[x.End()-1] == b[y.End()-1] {
		x.N, y.N = x.N-1, y.N-1
	}
	return x, y
}

// pair is a line that occurs exactly once in the compared part of the text a, and exactly once in that of the text b. The fields are its
// positions in the two texts.
type pair struct{ a, b int }

// anchors finds the lines that occur once in each part. It returns as many of them as possible, but only lines whose order is the same in
// both parts.
func anchors(a, b []Line, x, y Span) []pair {
	inA, inB := single(a, x), single(b, y)
	var all []pair // in the order of the text a
	for i := x.At; i < x.End(); i++ {
		if j, ok := inB[a[i]]; ok && j >= 0 && inA[a[i]] == i {
			all = append(all, pair{i, j})
		}
	}
	// Find the longest sequence of pairs whose positions increase in both texts. A pair is given by its index in "all". Many sequences may
	// have n+1 pairs: ends[n] is the last pair of the one that ends first in b. before[i] is the pair that comes before all[i] in its
	// sequence, or -1.
	var ends []int
	before := make([]int, len(all))
	for i, p := range all {
		n := sort.Search(len(ends), func(k int) bool { return all[ends[k]].b > p.b })
		if before[i] = -1; n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	out := make([]pair, len(ends))
	for n := len(ends) - 1; n >= 0; n-- {
		out[n] = all[ends[n]]
		if n > 0 {
			ends[n-1] = before[ends[n]]
		}
	}
	return out
}

// single returns the position of each line of a part, or -1 if the line occurs more than once.
func single(text []Line, s Span) map[Line]int {
	out := make(map[Line]int, s.N)
	for i := s.At; i < s.End(); i++ {
		if _, again := out[text[i]]; again {
			out[text[i]] = -1
		} else {
			out[text[i]] = i
		}
	}
	return out
}

// differ marks the lines of each text that have no partner in the other text.
type differ struct {
	a, b         []Line
	goneA, goneB []bool
}

// between compares the lines between two anchors.
func (d *differ) between(x, y Span) error {
	x, y = trim(d.a, d.b, x, y)
	goneA, goneB, err := Fewest(d.a[x.At:x.End()], d.b[y.At:y.End()])
	copy(d.goneA[x.At:], goneA)
	copy(d.goneB[y.At:], goneB)
	return err
}

// Fewest marks the fewest lines of a and b that must be removed and added to turn a into b. It returns ErrLimit if the texts are too long.
func Fewest(a, b []Line) (goneA, goneB []bool, err error) {
	goneA, goneB = make([]bool, len(a)), make([]bool, len(b))
	names := runes{}
	left, at := names.pick(a, b, goneA)
	right, bt := names.pick(b, a, goneB)
	if len(left)+len(right) > maxFewest {
		return nil, nil, ErrLimit
	}
	if len(left) == 0 {
		return goneA, goneB, nil
	}
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = 0
	for _, e := range dmp.DiffMainRunes(left, right, false) {
		n := len([]rune(e.Text))
		if e.Type != diffmatchpatch.DiffInsert {
			at = pass(at, n, goneA, e.Type == diffmatchpatch.DiffDelete)
		}
		if e.Type != diffmatchpatch.DiffDelete {
			bt = pass(bt, n, goneB, e.Type == diffmatchpatch.DiffInsert)
		}
	}
	return goneA, goneB, nil
}

func pass(at []int, n int, gone []bool, changed bool) []int {
	for _, i := range at[:n] {
		gone[i] = changed
	}
	return at[n:]
}

// runes maps lines to runes for go-diff. It skips surrogates, because go-diff converts runes to strings and back, and
// surrogates would get lost.
type runes map[Line]rune

// pick returns the lines that the other text has too, as runes, and their positions. It marks all other lines as changed.
func (r runes) pick(text, other []Line, gone []bool) (out []rune, at []int) {
	there := make(map[Line]bool, len(other))
	for _, l := range other {
		there[l] = true
	}
	for i, l := range text {
		if !there[l] {
			gone[i] = true
			continue
		}
		c, known := r[l]
		if !known {
			c = rune(len(r) + 1)
			if c >= 0xd800 {
				c += 0x800
			}
			r[l] = c
		}
		out, at = append(out, c), append(at, i)
	}
	return out, at
}

// Hunks turns the marked lines of two texts into hunks, and moves these to where git shows them.
func Hunks(a, b []Line, goneA, goneB []bool) []Hunk {
	slideGroups(a, goneA, goneB)
	slideGroups(b, goneB, goneA)
	var out []Hunk
	for i, j := 0, 0; i < len(goneA) || j < len(goneB); {
		h := Hunk{Span{i, countMarked(goneA, i)}, Span{j, countMarked(goneB, j)}}
		if h.Old.N+h.New.N > 0 {
			out = append(out, h)
		}
		i, j = h.Old.End()+1, h.New.End()+1
	}
	return out
}

// countMarked counts the consecutive marked lines from i on.
func countMarked(gone []bool, i int) int {
	n := slices.Index(gone[min(i, len(gone)):], false)
	if n < 0 {
		n = len(gone) - min(i, len(gone))
	}
	return n
}

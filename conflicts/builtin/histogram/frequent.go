package histogram

import "github.com/git-resume/git-resume/conflicts/lines"

// compareFrequent compares two parts whose common lines all occur too often to be anchors. It skips equal lines at both ends. Then it
// uses go-diff to match the lines that worthMatching selects, and treats the other lines as changed.
func (d *differ) compareFrequent(a, b Span) error {
	countA, countB := map[Line]int{}, map[Line]int{}
	for _, l := range d.a[a.At:a.End()] {
		countA[l]++
	}
	for _, l := range d.b[b.At:b.End()] {
		countB[l]++
	}
	limitA, limitB := frequencyLimit(a.N), frequencyLimit(b.N)
	for a.N > 0 && b.N > 0 && d.a[a.At] == d.b[b.At] {
		a, b = span(a.At+1, a.N-1), span(b.At+1, b.N-1)
	}
	for a.N > 0 && b.N > 0 && d.a[a.End()-1] == d.b[b.End()-1] {
		a.N, b.N = a.N-1, b.N-1
	}
	left, at := pick(d.a, d.goneA, a, worthMatching(d.a, a, countB, limitA))
	right, bt := pick(d.b, d.goneB, b, worthMatching(d.b, b, countA, limitB))
	goneA, goneB, err := lines.Fewest(left, right)
	for i, gone := range goneA {
		d.goneA[at[i]] = gone
	}
	for i, gone := range goneB {
		d.goneB[bt[i]] = gone
	}
	return err
}

// frequencyLimit returns about the square root of n, but at most 1024. A line of a text with n lines is too frequent to match if it
// occurs at least that often in the other text.
func frequencyLimit(n int) int {
	root := 1
	for ; n > 0; n >>= 2 {
		root <<= 1
	}
	return min(root, 1024)
}

// usefulness says how useful a line is for matching.
type usefulness byte

const (
	none usefulness = iota // the other text does not have this line
	poor                   // the other text has this line too often
	usable
)

// worthMatching says which lines to match. It leaves out a frequent line between lines that the other text does not have,
// because such a match would only connect unrelated changes.
func worthMatching(text []Line, s Span, partners map[Line]int, limit int) []bool {
	chances := make([]usefulness, s.N)
	for i := range chances {
		switch n := partners[text[s.At+i]]; {
		case n == 0:
		case n >= limit:
			chances[i] = poor
		default:
			chances[i] = usable
		}
	}
	keep := make([]bool, s.N)
	for i, c := range chances {
		keep[i] = c == usable || c == poor && !isSurrounded(chances, i)
	}
	return keep
}

// isSurrounded reports whether the lines near a poor line are nearly all of the kind "none". (The kinds "none", "poor" and "usable" are the
// values of the type usefulness.) It looks at up to 100 lines before and 100 lines after the poor line, and stops in each direction at the
// first line of the kind "usable". The result is true if both directions have a line of the kind "none", and there are more than three
// times as many of these lines as poor lines.
func isSurrounded(chances []usefulness, at int) bool {
	const window = 100
	lonely, common := 0, 2 // the line itself is counted once for each direction: up and down
	for _, step := range []int{-1, 1} {
		alone := 0
		for r := 1; r <= window; r++ {
			i := at + r*step
			if i < 0 || i >= len(chances) || chances[i] == usable {
				break
			}
			if chances[i] == none {
				alone++
			} else {
				common++
			}
		}
		if alone == 0 {
			return false
		}
		lonely += alone
	}
	return common*4 < common+lonely
}

// pick returns the lines to match, and their positions. It marks all other lines as changed.
func pick(text []Line, gone []bool, s Span, keep []bool) (out []Line, at []int) {
	for k, kept := range keep {
		i := s.At + k
		if !kept {
			gone[i] = true
			continue
		}
		out, at = append(out, text[i]), append(at, i)
	}
	return out, at
}

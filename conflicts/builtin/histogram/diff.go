package histogram

import "github.com/git-resume/git-resume/conflicts/lines"

// Line and Span have short names here, because most functions use them.
type (
	Line = lines.Line
	Span = lines.Span
)

func span(at, n int) Span { return Span{At: at, N: n} }

const (
	// maxSteps limits one comparison. A step takes a few nanoseconds.
	maxSteps = 60_000_000
	// rare limits how often an anchor may occur. A line that occurs more often is not used as an anchor.
	rare = 64
)

// diff lists the hunks that turn a into b, in order. Their boundaries are the same as in git's merge. If the comparison takes too many
// steps, diff returns lines.ErrLimit.
func diff(a, b []Line) ([]lines.Hunk, error) {
	d := newDiffer(a, b)
	if err := d.split(span(0, len(a)), span(0, len(b))); err != nil {
		return nil, err
	}
	return lines.Hunks(a, b, d.goneA, d.goneB), nil
}

// differ compares two texts with the histogram algorithm. It finds a rare and long piece that both texts have. Then
// it compares the parts before the piece and the parts after it.
type differ struct {
	a, b         []Line
	goneA, goneB []bool // true for each line that has no partner in the other text
	// These slices are indexed by Line. "first" is the position at which the line first occurs in the compared part of a, and "count" is
	// how often it occurs there. If "round" differs from "now", both values are old and mean nothing, so they need not be cleared.
	first, count, round []int32
	next                []int32 // position of the next equal line in a, or -1
	now                 int32
	steps               int
}

func newDiffer(a, b []Line) *differ {
	top := Line(-1)
	for _, text := range [][]Line{a, b} {
		for _, l := range text {
			top = max(top, l)
		}
	}
	n := int(top) + 1
	return &differ{
		a: a, b: b, goneA: make([]bool, len(a)), goneB: make([]bool, len(b)),
		first: make([]int32, n), count: make([]int32, n), round: make([]int32, n), next: make([]int32, len(a)),
	}
}

func (d *differ) split(a, b Span) error {
	for a.N > 0 && b.N > 0 {
		best, err := d.anchor(a, b)
		if err != nil {
			return err
		}
		if best.frequent {
			return d.compareFrequent(a, b)
		}
		if best.n == 0 {
			break
		}
		if err := d.split(span(a.At, best.a-a.At), span(b.At, best.b-b.At)); err != nil {
			return err
		}
		a = span(best.a+best.n, a.End()-best.a-best.n)
		b = span(best.b+best.n, b.End()-best.b-best.n)
	}
	markGone(d.goneA, a)
	markGone(d.goneB, b)
	return nil
}

func markGone(gone []bool, s Span) {
	for i := s.At; i < s.End(); i++ {
		gone[i] = true
	}
}

// piece is a sequence of lines that both texts have. rarity is how often the rarest of these lines occurs.
type piece struct {
	a, b, n int
	rarity  int32
	// frequent is true if the texts have common lines, but all of them occur too often to be an anchor.
	frequent bool
}

// anchor chooses the piece of equal lines at which the two texts are aligned. It prefers rare lines and long pieces. If no piece can be
// used, the field n of the result is 0.
func (d *differ) anchor(a, b Span) (piece, error) {
	d.index(a)
	best := piece{rarity: rare + 1}
	common := false
	for at := b.At; at < b.End(); {
		l := d.b[at]
		if d.round[l] != d.now {
			at++
			continue
		}
		common = true
		if d.count[l] > best.rarity {
			at++
			continue
		}
		at = d.grow(a, b, at, &best)
		if d.steps > maxSteps {
			return piece{}, lines.ErrLimit
		}
	}
	d.steps += a.N + b.N
	best.frequent = common && best.rarity > rare
	return best, nil
}

func (d *differ) index(a Span) {
	d.now++
	for i := a.End() - 1; i >= a.At; i-- {
		l := d.a[i]
		if d.round[l] != d.now {
			d.round[l], d.count[l], d.next[i] = d.now, 1, -1
		} else {
			d.count[l]++
			d.next[i] = d.first[l]
		}
		d.first[l] = int32(i)
	}
}

// grow compares the line of b at the given position with every equal line of a. It extends each match in both directions and keeps the
// best one. It returns the first position in b after all matches.
func (d *differ) grow(a, b Span, at int, best *piece) int {
	behind := at + 1
	rarity := d.count[d.b[at]]
	for i := int(d.first[d.b[at]]); i >= 0; {
		p := d.widen(a, b, i, at, rarity)
		behind = max(behind, p.b+p.n)
		if p.n > max(best.n, 1) || p.rarity < best.rarity {
			*best = p
		}
		// Skip matches inside this piece, because extending them would give the same piece again.
		last := p.a + p.n - 1
		for i = int(d.next[i]); i >= 0 && i <= last; i = int(d.next[i]) {
			d.steps++
		}
	}
	return behind
}

func (d *differ) widen(a, b Span, i, j int, rarity int32) piece {
	p := piece{a: i, b: j, n: 1, rarity: rarity}
	for p.a > a.At && p.b > b.At && d.a[p.a-1] == d.b[p.b-1] {
		p.a, p.b, p.n = p.a-1, p.b-1, p.n+1
		p.rarity = min(p.rarity, d.count[d.a[p.a]])
	}
	for p.a+p.n < a.End() && p.b+p.n < b.End() && d.a[p.a+p.n] == d.b[p.b+p.n] {
		p.rarity = min(p.rarity, d.count[d.a[p.a+p.n]])
		p.n++
	}
	d.steps += p.n
	return p
}

package conflicts

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/conflicts/clash"
	"github.com/git-resume/git-resume/conflicts/lines"
	"github.com/git-resume/git-resume/gitstate/object"
)

// merged is a file that git merged, with the conflicts that git marked in it.
type merged struct {
	lines [][]byte
	marks []mark
}

// mark is one conflict. The fields "begin" and "end" are the positions of the outer markers. The field "middles" has the positions of all
// lines that look like the middle marker, because the file itself may contain such lines.
type mark struct {
	begin, end int
	middles    []int
}

// The method "merged" reads git's merged file. The markers in it contain the names of the sides, so other lines hardly ever look like
// them.
func (a *asked) merged(ctx context.Context, tree object.ID, c *clash.Clash) (merged, error) {
	e, err := a.repo.Lookup(ctx, tree, c.Listed)
	if err != nil {
		return merged{}, err
	}
	text, err := a.repo.BlobUpTo(ctx, e.ID, 3*clash.MaxText)
	if err != nil {
		return merged{}, err
	}
	for _, side := range []int{clash.InOurs, clash.InTheirs} {
		if name := c.Names[side]; strings.Contains(name, "\n") {
			// A marker may contain the path. If the path contains a newline, the marker has several lines, so remove the path from it.
			text = bytes.ReplaceAll(text, []byte(a.arg(ctx, side)+":"+name), []byte(a.arg(ctx, side)))
		}
	}
	return parseMerged(linesOf(text), a.arg(ctx, clash.InOurs), a.arg(ctx, clash.InTheirs)), nil
}

func parseMerged(text [][]byte, ours, theirs string) merged {
	out := merged{lines: text}
	open, size := mark{}, 0
	for i, l := range text {
		switch {
		case size == 0:
			size = markSize(l, '<', ours)
			open = mark{begin: i}
		case markSize(l, '>', theirs) == size:
			open.end, size = i, 0
			out.marks = append(out.marks, open)
		case string(bytes.TrimRight(l, "\r\n")) == strings.Repeat("=", size):
			open.middles = append(open.middles, i)
		}
	}
	if size > 0 {
		out.marks = append(out.marks, mark{begin: open.begin, end: len(text)}) // this conflict has no end marker, so its lines are unknown
	}
	return out
}

// markSize returns the number of equal characters at the start of a conflict marker, for example 7 for "<<<<<<< name". It returns 0
// for any other line.
func markSize(l []byte, sign byte, name string) int {
	n := 0
	for n < len(l) && l[n] == sign {
		n++
	}
	if n == 0 {
		return 0
	}
	rest, ok := strings.CutPrefix(string(bytes.TrimRight(l[n:], "\r\n")), " "+name)
	if !ok || rest != "" && rest[0] != ':' {
		return 0
	}
	return n
}

// errElsewhere says that the lines between git's conflict markers are not lines of the two sides.
var errElsewhere = errors.New("the lines between git's conflict markers were not found in the two versions of the file")

// places finds where the lines that git's merge put between conflict markers are in the two versions that git merged. For each side, it
// removes the markers and the other side's lines from a copy of the merged file. This copy then differs from the side's version only by
// changes that do not conflict, so comparing the two shows the positions.
func (m merged) places(ours, theirs [][]byte) (out [2][]lines.Span, err error) {
	in := lines.Numbers{}
	text, sides := in.Unended(m.lines), [2][]lines.Line{in.Unended(ours), in.Unended(theirs)}
	if len(m.marks) == 0 {
		return out, errElsewhere
	}
	middles := make([]int, len(m.marks))
	for i, k := range m.marks {
		if middles[i] = k.middle(text, sides); middles[i] < 0 {
			return out, errElsewhere
		}
	}
	for side, own := range sides {
		alone, pieces := m.sideOf(text, middles, side)
		found, ok, err := lines.Origins(own, alone, pieces)
		if err != nil {
			return out, err
		}
		if !ok {
			return out, errElsewhere
		}
		out[side] = found
	}
	return out, nil
}

// middle returns the position of the middle marker of a conflict, or -1. If several lines look like this marker, it returns the first one
// that fits: the lines before it are in ours, and the lines after it are in theirs.
func (k mark) middle(text []lines.Line, sides [2][]lines.Line) int {
	if len(k.middles) == 1 {
		return k.middles[0]
	}
	for _, at := range k.middles {
		if contains(sides[0], text[k.begin+1:at]) && contains(sides[1], text[at+1:k.end]) {
			return at
		}
	}
	return -1
}

// sideOf returns the merged file with the lines of only one side in each conflict, and where these lines are.
func (m merged) sideOf(text []lines.Line, middles []int, side int) (alone []lines.Line, pieces []lines.Span) {
	from := 0
	for i, k := range m.marks {
		part := text[k.begin+1 : middles[i]]
		if side == 1 {
			part = text[middles[i]+1 : k.end]
		}
		alone = append(alone, text[from:k.begin]...)
		pieces = append(pieces, lines.Span{At: len(alone), N: len(part)})
		alone = append(alone, part...)
		from = k.end + 1
	}
	return append(alone, text[min(from, len(text)):]...), pieces
}

func contains(text, piece []lines.Line) bool {
	for at := 0; at+len(piece) <= len(text); at++ {
		if slices.Equal(text[at:at+len(piece)], piece) {
			return true
		}
	}
	return false
}

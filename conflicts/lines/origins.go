package lines

import "slices"

// Origins finds where given pieces of a text are in an older text. The pieces must be in order. If the same lines occur several times in
// the older text, Origins uses the position that a diff of the two texts suggests. The second result is false if a piece is not found
// after the piece before it.
func Origins(old, text []Line, pieces []Span) ([]Span, bool, error) {
	hunks, err := Diff(old, text)
	if err != nil {
		return nil, false, err
	}
	out, from := make([]Span, len(pieces)), 0
	for i, p := range pieces {
		at := nearest(old, text[p.At:p.End()], from, before(hunks, p))
		if at < 0 {
			return nil, false, nil
		}
		out[i] = Span{at, p.N}
		from = at + p.N
	}
	return out, true, nil
}

// The function "before" returns the position in the older text that corresponds to the first line of the span p. If a hunk added this line,
// the older text does not have it, and the result is a position at the lines that the same hunk removed: their start for the first added
// line of the hunk, and their end for all other added lines.
func before(hunks []Hunk, p Span) int {
	shift := 0
	for _, h := range hunks {
		if h.New.At > p.At || h.New.At == p.At && (p.N == 0 || h.New.N > 0) {
			break
		}
		if h.New.End() > p.At {
			return h.Old.End()
		}
		shift += h.Old.N - h.New.N
	}
	return p.At + shift
}

// nearest looks for a piece in a text, at the position "from" and after it. If the piece occurs several times, nearest returns the position
// that is nearest to the guess. If it does not occur, nearest returns -1.
func nearest(text, piece []Line, from, guess int) int {
	fits := func(at int) bool {
		return at >= from && at+len(piece) <= len(text) && slices.Equal(text[at:at+len(piece)], piece)
	}
	for far := 0; guess-far >= from || guess+far <= len(text)-len(piece); far++ {
		for _, at := range []int{guess - far, guess + far} {
			if fits(at) {
				return at
			}
		}
	}
	return -1
}

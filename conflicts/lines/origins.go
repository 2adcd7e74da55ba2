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

// The function "before" returns where the first line of the span p was in the older text. A line that a hunk added was nowhere. For the
// first such line of a hunk, it returns where the removed lines began. For the other lines of the hunk, it returns where they ended.
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

// nearest returns the position of a piece in a text. Only positions from "from" on count. Of several positions, it returns the one
// nearest to the guess. It returns -1 if there is none.
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

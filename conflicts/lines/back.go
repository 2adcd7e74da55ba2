package lines

import "slices"

// OwnLines returns those of the given lines that were changed or added since the base. If none of them was, OwnLines returns the changed
// lines that are nearest to them. If the text equals the base, it returns nothing.
func OwnLines(base, text []Line, lines []Span) ([]Span, error) {
	hunks, err := Diff(base, text)
	if err != nil || len(hunks) == 0 {
		return nil, err
	}
	if own, _ := traceBack(hunks, lines); len(own) > 0 {
		return own, nil
	}
	var out []Span
	for _, s := range lines {
		out = append(out, slices.MinFunc(hunks, func(a, b Hunk) int { return distance(a.New, s) - distance(b.New, s) }).New)
	}
	return out, nil
}

// distance returns the number of lines between two spans.
func distance(a, b Span) int { return max(0, a.At-b.End(), b.At-a.End()) }

// Part divides the given lines of a text into two lists. The first list has the lines that were changed or added since the older text. The
// second list has the positions of the other lines in the older text.
func Part(old, text []Line, lines []Span) (made, kept []Span, err error) {
	if len(lines) == 0 || len(old) == len(text) && len(old) > 0 && &old[0] == &text[0] {
		return nil, lines, nil
	}
	hunks, err := Diff(old, text)
	made, kept = traceBack(hunks, lines)
	return made, kept, err
}

// traceBack divides the given lines of the newer text into "made", the lines that the hunks added, and "kept", the lines that were already
// in the older text. "made" has positions in the newer text, and an empty span where a hunk only removed lines. "kept" has positions in the
// older text.
//
// A given span may also be empty, and is then a point between two lines. If pointBefore finds this point in the older text, it goes into
// "kept", otherwise into "made".
func traceBack(hunks []Hunk, lines []Span) (made, kept []Span) {
	for _, s := range lines {
		if s.N == 0 {
			if at, ok := pointBefore(hunks, s.At); ok {
				kept = append(kept, Span{at, 0})
			} else {
				made = append(made, s)
			}
			continue
		}
		shift, from := 0, s.At
		for _, h := range hunks {
			if h.New.At > s.End() || h.New.N > 0 && h.New.At == s.End() {
				break
			}
			if meets(h.New, s) {
				cut := Span{max(h.New.At, s.At), 0}
				cut.N = min(h.New.End(), s.End()) - cut.At
				made = append(made, cut)
				if n := cut.At - from; n > 0 {
					kept = append(kept, Span{from + shift, n})
				}
				from = cut.End()
			}
			shift += h.Old.N - h.New.N
		}
		if n := s.End() - from; n > 0 {
			kept = append(kept, Span{from + shift, n})
		}
	}
	return made, kept
}

// The function "meets" reports whether two spans share lines. An empty span meets another span if it is inside that span or at its edge.
func meets(a, b Span) bool {
	if a.N == 0 || b.N == 0 {
		return a.At <= b.End() && b.At <= a.End()
	}
	return a.At < b.End() && b.At < a.End()
}

// pointBefore converts a point between two lines of the newer text into a position in the older text. It returns false if the point is
// inside a hunk, or if a hunk removed lines there.
func pointBefore(hunks []Hunk, at int) (int, bool) {
	shift := 0
	for _, h := range hunks {
		if h.New.At > at {
			break
		}
		inside := h.New.At < at && at < h.New.End()
		if inside || at <= h.New.End() && h.Old.N > h.New.N {
			return 0, false
		}
		if h.New.At == at {
			break // this hunk adds lines below the point, so they do not shift it
		}
		shift += h.Old.N - h.New.N
	}
	return at + shift, true
}

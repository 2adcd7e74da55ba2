package lines

import "slices"

// OwnLines are those of a side's lines that the base does not have.
// Where all that differs was left out because both sides say the same there, it is what changed nearest to them.
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
		out = append(out, slices.MinFunc(hunks, func(a, b Hunk) int { return apart(a.New, s) - apart(b.New, s) }).New)
	}
	return out, nil
}

// apart is how many lines lie between two spans.
func apart(a, b Span) int { return max(0, a.At-b.End(), b.At-a.End()) }

// Part tells which of the lines of a text an older one lacks, and where it has the others.
func Part(old, text []Line, lines []Span) (made, kept []Span, err error) {
	if len(lines) == 0 || len(old) == len(text) && len(old) > 0 && &old[0] == &text[0] {
		return nil, lines, nil
	}
	hunks, err := Diff(old, text)
	made, kept = traceBack(hunks, lines)
	return made, kept, err
}

// traceBack parts lines of the newer text into those that the hunks made
// and those that the older text has as well, which it counts as the older one does.
// A span without lines is a place where some are missing; a hunk that took lines away there made it.
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

// meets: they share lines, or one that has none lies in the other or at its edge.
func meets(a, b Span) bool {
	if a.N == 0 || b.N == 0 {
		return a.At <= b.End() && b.At <= a.End()
	}
	return a.At < b.End() && b.At < a.End()
}

// pointBefore is where a place between lines was in the older text; not ok: a hunk took lines away there.
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
			break // right before what the hunk put there
		}
		shift += h.Old.N - h.New.N
	}
	return at + shift, true
}

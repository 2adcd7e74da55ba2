package conflicts

import "slices"

// ownLines are those of a side's lines that the base does not have.
// Where all that differs was left out because both sides say the same there, it is what changed nearest to them.
func ownLines(base, text []line, lines []span) ([]span, error) {
	hunks, err := diffLines(base, text)
	if err != nil || len(hunks) == 0 {
		return nil, err
	}
	if own, _ := traceBack(hunks, lines); len(own) > 0 {
		return own, nil
	}
	var out []span
	for _, s := range lines {
		out = append(out, slices.MinFunc(hunks, func(a, b hunk) int { return apart(a.new, s) - apart(b.new, s) }).new)
	}
	return out, nil
}

// apart is how many lines lie between two spans.
func apart(a, b span) int { return max(0, a.at-b.end(), b.at-a.end()) }

// part tells which of the lines of a text an older one lacks, and where it has the others.
func part(old, text []line, lines []span) (made, kept []span, err error) {
	if len(lines) == 0 || len(old) == len(text) && len(old) > 0 && &old[0] == &text[0] {
		return nil, lines, nil
	}
	hunks, err := diffLines(old, text)
	made, kept = traceBack(hunks, lines)
	return made, kept, err
}

// traceBack parts lines of the newer text into those that the hunks made
// and those that the older text has as well, which it counts as the older one does.
// A span without lines is a place where some are missing; a hunk that took lines away there made it.
func traceBack(hunks []hunk, lines []span) (made, kept []span) {
	for _, s := range lines {
		if s.n == 0 {
			if at, ok := pointBefore(hunks, s.at); ok {
				kept = append(kept, span{at, 0})
			} else {
				made = append(made, s)
			}
			continue
		}
		shift, from := 0, s.at
		for _, h := range hunks {
			if h.new.at > s.end() || h.new.n > 0 && h.new.at == s.end() {
				break
			}
			if meets(h.new, s) {
				cut := span{max(h.new.at, s.at), 0}
				cut.n = min(h.new.end(), s.end()) - cut.at
				made = append(made, cut)
				if n := cut.at - from; n > 0 {
					kept = append(kept, span{from + shift, n})
				}
				from = cut.end()
			}
			shift += h.old.n - h.new.n
		}
		if n := s.end() - from; n > 0 {
			kept = append(kept, span{from + shift, n})
		}
	}
	return made, kept
}

// meets: they share lines, or one that has none lies in the other or at its edge.
func meets(a, b span) bool {
	if a.n == 0 || b.n == 0 {
		return a.at <= b.end() && b.at <= a.end()
	}
	return a.at < b.end() && b.at < a.end()
}

// pointBefore is where a place between lines was in the older text; not ok: a hunk took lines away there.
func pointBefore(hunks []hunk, at int) (int, bool) {
	shift := 0
	for _, h := range hunks {
		if h.new.at > at {
			break
		}
		inside := h.new.at < at && at < h.new.end()
		if inside || at <= h.new.end() && h.old.n > h.new.n {
			return 0, false
		}
		if h.new.at == at {
			break // right before what the hunk put there
		}
		shift += h.old.n - h.new.n
	}
	return at + shift, true
}

package lines

// A group of changed lines can often be moved without changing the meaning of the diff. For example, it can move up by one line if its last
// line equals the line above it. git moves every group to a fixed position. Whether two changes touch depends on that position.
//
// The unchanged lines divide a text into groups of changed lines: one group before the first unchanged line, one between each two that
// follow each other, and one after the last. A group may be empty. Both texts have the same unchanged lines, so the n-th group of one text
// corresponds to the n-th group of the other text.

// group is a sequence of changed lines. The field "start" is its first line, and "end" is the first line after it.
type group struct{ start, end int }

func (g group) empty() bool { return g.start == g.end }

func groupAt(gone []bool, start int) group {
	g := group{start, start}
	for g.end < len(gone) && gone[g.end] {
		g.end++
	}
	return g
}

// The function "following" returns the next group, or false if g is the last group.
func following(gone []bool, g group) (group, bool) {
	if g.end >= len(gone) {
		return g, false
	}
	return groupAt(gone, g.end+1), true
}

func preceding(gone []bool, g group) group {
	p := group{g.start - 1, g.start - 1}
	for p.start > 0 && gone[p.start-1] {
		p.start--
	}
	return p
}

// The function "up" moves a group of changed lines up by one line if possible. If the group then touches other changed lines, it
// includes them.
func up(text []Line, gone []bool, g *group) bool {
	if g.start == 0 || text[g.start-1] != text[g.end-1] {
		return false
	}
	g.start--
	g.end--
	gone[g.start], gone[g.end] = true, false
	for g.start > 0 && gone[g.start-1] {
		g.start--
	}
	return true
}

func down(text []Line, gone []bool, g *group) bool {
	if g.end >= len(text) || text[g.start] != text[g.end] {
		return false
	}
	gone[g.start], gone[g.end] = false, true
	g.start++
	g.end++
	for g.end < len(text) && gone[g.end] {
		g.end++
	}
	return true
}

// slideGroups moves each group of changed lines as far down as possible. But if a group can be moved next to a change of the other text,
// slideGroups moves it there.
func slideGroups(text []Line, gone, other []bool) {
	mine, its := groupAt(gone, 0), groupAt(other, 0)
	for more := true; more; {
		if !mine.empty() {
			slideGroup(text, gone, other, &mine, &its)
		}
		mine, more = following(gone, mine)
		if more {
			its, _ = following(other, its)
		}
	}
}

// slideGroup moves "mine", a group of changed lines, to its final position. The group "its" is the corresponding group of the other text.
// When "mine" moves past an unchanged line, "its" becomes the group before or after that line.
func slideGroup(text []Line, gone, other []bool, mine, its *group) {
	beside, top := false, 0
	for size := -1; size != mine.end-mine.start; {
		size = mine.end - mine.start
		for up(text, gone, mine) {
			*its = preceding(other, *its)
		}
		top = mine.end
		beside = !its.empty()
		for down(text, gone, mine) {
			*its, _ = following(other, *its)
			beside = beside || !its.empty()
		}
	}
	if mine.end == top || !beside {
		return
	}
	for its.empty() {
		up(text, gone, mine)
		*its = preceding(other, *its)
	}
}

package lines

// A run of changed lines can often be moved without changing the meaning of the diff. For example, it can move up by one line if its last
// line equals the line above it. git moves every run to a fixed position. Whether two changes touch depends on that position.
//
// Between two unchanged lines there is always exactly one run, which may be empty. So the n-th run of one text corresponds to the n-th run
// of the other text.

// run is a sequence of changed lines. The field "start" is its first line, and "end" is the first line after it.
type run struct{ start, end int }

func (r run) empty() bool { return r.start == r.end }

func runAt(gone []bool, start int) run {
	r := run{start, start}
	for r.end < len(gone) && gone[r.end] {
		r.end++
	}
	return r
}

// The function "following" returns the next run, or false if r is the last run.
func following(gone []bool, r run) (run, bool) {
	if r.end >= len(gone) {
		return r, false
	}
	return runAt(gone, r.end+1), true
}

func preceding(gone []bool, r run) run {
	p := run{r.start - 1, r.start - 1}
	for p.start > 0 && gone[p.start-1] {
		p.start--
	}
	return p
}

// The function "up" moves a run of changed lines up by one line if possible. If the run then touches other changed lines, it includes them.
func up(text []Line, gone []bool, r *run) bool {
	if r.start == 0 || text[r.start-1] != text[r.end-1] {
		return false
	}
	r.start--
	r.end--
	gone[r.start], gone[r.end] = true, false
	for r.start > 0 && gone[r.start-1] {
		r.start--
	}
	return true
}

func down(text []Line, gone []bool, r *run) bool {
	if r.end >= len(text) || text[r.start] != text[r.end] {
		return false
	}
	gone[r.start], gone[r.end] = false, true
	r.start++
	r.end++
	for r.end < len(text) && gone[r.end] {
		r.end++
	}
	return true
}

// slideRuns moves each run of changed lines as far down as possible. But if a run can be moved next to a change of the
// other text, slideRuns moves it there.
func slideRuns(text []Line, gone, other []bool) {
	mine, its := runAt(gone, 0), runAt(other, 0)
	for more := true; more; {
		if !mine.empty() {
			slideRun(text, gone, other, &mine, &its)
		}
		mine, more = following(gone, mine)
		if more {
			its, _ = following(other, its)
		}
	}
}

// slideRun moves "mine", a run of changed lines, to its final position. The run "its" is the corresponding run of the other text. When
// "mine" moves past an unchanged line, "its" becomes the run before or after that line.
func slideRun(text []Line, gone, other []bool, mine, its *run) {
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

package specloop

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

var questionID = textdoc.NewForm(`^C(\d+)\.\d+$`)

// likely returns a valid loop state. It replaces each invalid field by a value that the rest of the index suggests.
func (l *loop) likely() (status string, iteration, stale int) {
	x := l.x
	status, iteration, stale = x.status, min(x.iteration, x.rounds, 10), min(max(x.stale, 0), 3)
	if !slices.Contains(statuses, status) {
		switch {
		case len(l.pending) > 0 || len(l.answered) > 0:
			status = clarifying
		case l.hasSpec():
			status = validating
		default:
			status = specWriting
		}
	}
	if iteration < 1 {
		iteration = 1
		for _, q := range x.questions {
			if m := questionID.FindStringSubmatch(q.id); m != nil {
				n, _ := strconv.Atoi(m[1])
				iteration = max(iteration, min(n, 10))
			}
		}
		for _, h := range x.history {
			if n, err := strconv.Atoi(h.iteration); err == nil {
				iteration = max(iteration, min(n, 10))
			}
		}
	}
	return status, iteration, stale
}

// unmatched returns the status changes that make the gaps in the specification consistent with the questions about them. A gap with an open
// question becomes clarifying, and a gap without a question becomes pending. Deferred gaps and gaps that are not in the gap queue are left
// out, because a person must decide about them.
func (l *loop) unmatched() map[string]string {
	out := map[string]string{}
	if l.x == nil || l.torn {
		return out
	}
	if l.x.status == clarifying || l.comparesGaps() {
		for _, id := range l.unasked() {
			out[id] = "pending"
		}
	}
	for _, q := range l.pending {
		for _, id := range q.gaps {
			if slices.ContainsFunc(l.x.gaps, func(g gap) bool { return g.id == id && g.is("pending", "resolved", "") }) {
				out[id] = "clarifying"
			}
		}
	}
	return out
}

// misfits reports whether the questions of the index do not fit its gaps in the specification.
func (l *loop) misfits() bool {
	return l.refused() || l.x != nil && l.x.status == clarifying && len(l.unasked()) > 0
}

// refused reports whether the workflow system's own check rejects the index, because its open questions do not fit its gaps. An example is
// an open question whose gap does not have the status "clarifying". Without an open question, that check does not look at the gaps.
func (l *loop) refused() bool {
	if l.x == nil {
		return false
	}
	is := map[string][]gap{}
	for _, g := range l.x.gaps {
		is[g.id] = append(is[g.id], g)
	}
	for _, q := range l.pending {
		for _, id := range q.gaps {
			if !slices.ContainsFunc(is[id], func(g gap) bool { return g.is("clarifying") }) {
				return true
			}
		}
	}
	for _, q := range l.answered {
		if slices.ContainsFunc(q.gaps, func(id string) bool { return is[id] == nil }) {
			return true
		}
	}
	return l.comparesGaps() && len(l.unasked()) > 0
}

// uncounted reports whether the loop is validating in iteration 0, although the protocol counts from 1.
func (l *loop) uncounted() bool {
	return l.x != nil && !l.x.blank && l.x.status == validating && l.x.iteration == 0
}

// withAnswer returns the index with an additional answer to a question. A question is about gaps in the specification. The index also has
// the statuses of these gaps, but they stay unchanged, because the workflow still has to apply the answer. The second result is false if
// the answer is empty, or if no such question waits for an answer.
func (l *loop) withAnswer(w sources.ActionRequest) ([]byte, bool) {
	if l.damaged || len(l.pending) == 0 || cellText(w.Text) == "" {
		return nil, false
	}
	id := cmp.Or(w.Task, l.pending[0].id)
	if !slices.ContainsFunc(l.pending, func(q question) bool { return q.id == id }) {
		return nil, false
	}
	p := newPage(l.data)
	if !p.setAnswer(id, w.Text) {
		return nil, false
	}
	p.setField("last activity", l.view.Now.UTC().Format(time.RFC3339))
	return p.bytes(), true
}

// repaired returns a repaired index, and false if no repair is possible. If an older version was found that can be used,
// the result is that version. Otherwise invalid fields are replaced by likely values.
func (l *checked) repaired() ([]byte, bool) {
	if l.good != nil {
		return l.good, true
	}
	if l.x == nil || l.torn || l.cut != "" || len(l.x.says) > 1 || !l.broken && !l.uncounted() && len(l.unmatched()) == 0 {
		return nil, false
	}
	p, mended := newPage(l.data), *l.loop
	if l.broken || l.uncounted() {
		status, iteration, stale := l.likely()
		if !p.setField("loop status", status) {
			return nil, false
		}
		p.putField("current iteration", fmt.Sprintf("%d / %d", iteration, min(l.x.rounds, 10)))
		p.putField("stale count", fmt.Sprintf("%d / 3", stale))
		x := *l.x
		x.status, mended.x = status, &x // the loop below compares gaps and questions with the new status
	}
	for id, status := range mended.unmatched() {
		if !p.setGap(id, status) && !l.broken {
			return nil, false
		}
	}
	p.setField("last activity", l.view.Now.UTC().Format(time.RFC3339))
	return p.bytes(), l.whole(p.bytes())
}

// whole reports whether an index file with the given content follows all mandatory rules of the specification loop.
func (l *checked) whole(data []byte) bool {
	x, err := parseIndex(data)
	if err != nil {
		return false
	}
	quiet := *l.feature // use a copy, so that the warnings of this trial check are not reported
	again := &loop{feature: &quiet, home: l.home, data: data, x: x}
	again.sort()
	return !check(again).broken
}

// newValues lists the fields and gaps of the index that a repair would change, with their new values.
func (l *checked) newValues() string {
	if l.x == nil {
		return ""
	}
	var all []string
	status, iteration, stale := l.likely()
	if status != l.x.status {
		all = append(all, "the loop status to "+status)
	}
	if iteration != l.x.iteration {
		all = append(all, fmt.Sprintf("the iteration to %d / %d", iteration, min(l.x.rounds, 10)))
	}
	if stale != l.x.stale {
		all = append(all, fmt.Sprintf("the stale count to %d / 3", stale))
	}
	x, mended := *l.x, *l.loop
	x.status, mended.x = status, &x
	return "set " + strings.Join(append(all, gapValues(mended.unmatched(), "the gap ")...), ", ")
}

// gapValues lists the gaps whose statuses a repair would change, with the new statuses. Each of the texts begins with the given words.
func gapValues(gaps map[string]string, words string) []string {
	var all []string
	for id, status := range gaps {
		all = append(all, words+id+" to "+status)
	}
	slices.SortFunc(all, sources.NaturalOrder)
	return all
}

// repair returns the action that repairs the index, or nil if the index cannot be repaired.
func (l *checked) repair() []sources.Alternative {
	if _, ok := l.repaired(); !ok {
		return nil
	}
	text := l.newValues()
	switch gaps := l.unmatched(); {
	case l.uncounted() && !l.broken && l.good == nil:
		_, n, _ := l.likely()
		text = fmt.Sprintf("set the iteration in index.md to %d", n)
	case l.good != nil && l.complete:
		text = "replace index.md with its last complete committed version"
	case l.good != nil:
		text = "replace index.md with its last committed version that can be read"
	case !l.broken && len(gaps) > 0:
		text = "make the statuses of gaps match the questions: set " + strings.Join(gapValues(gaps, ""), ", ")
	}
	return []sources.Alternative{{Name: sources.Repair, Text: text}}
}

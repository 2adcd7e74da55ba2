package specloop

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// checked is a specification loop whose index was checked against the rules of the protocol. The field "broken" means that the index
// breaks a mandatory rule.
type checked struct {
	*loop
	broken bool
}

func check(l *loop) *checked {
	c := &checked{loop: l}
	if l.cut != "" && !c.torn { // a torn question is named below
		c.broken = true
		c.doubts.About(sources.DoubtInvalidState, conflicts.Blocking, l.file("index.md"), "breaks off %s: a write of it was probably interrupted", l.cut)
	}
	if l.x != nil && !l.x.blank {
		c.checkState()
		c.checkQuestions()
		c.checkPointer()
	}
	return c
}

// checkState checks the status, the iteration and the stale count of the loop against the rules of the protocol. The stale count is the
// number of iterations without progress. Breaking one of these rules is a blocking problem. Other oddities are only warnings or notes.
func (l *checked) checkState() {
	x, full := l.x, l.file("index.md")
	breaks := func(format string, args ...any) {
		l.broken = true
		l.doubts.About(sources.DoubtInvalidState, conflicts.Blocking, full, format, args...)
	}
	if x.status != "" && !slices.Contains(statuses, x.status) {
		breaks("has the loop status '%s', which is not one of %s", x.status, strings.Join(statuses, ", "))
	}
	early := slices.Contains([]string{notStarted, scaffolding, specWriting, validating, ""}, x.status) // with these statuses, the iteration can still be 0
	over := x.status == completed || x.status == terminated
	switch {
	case over || x.iteration == -1 && x.count == "" && early && x.status != validating || x.iteration == 0 && early:
	case x.iteration < 1 || x.iteration > x.rounds || x.iteration > 10:
		breaks("has the iteration %s, which is not between 1 and %d", cmp.Or(x.count, "(none)"), min(x.rounds, 10))
	}
	switch count := x.loop["stale count"]; {
	case over && count == "" || count == "" && early && x.iteration < 1 && x.status != validating:
	case x.stale < 0 || x.stale > 3:
		breaks("has the stale count %s: this number of iterations without progress must be between 0 and 3", cmp.Or(count, "(none)"))
	}
	if len(x.says) > 1 {
		breaks("has %d loop statuses that contradict each other, %s: a person must decide which one counts", len(x.says), strings.Join(x.says, " and "))
	}
	if x.status == clarifying && l.neverAsked() && len(l.unasked()) == 0 { // if the specification has a gap that no question is about, checkQuestions warns
		l.doubts.About("no-question", conflicts.Warning, full, "has the loop status 'clarifying', but no question: the loop was interrupted before it wrote its questions, or they were lost")
	}
	if x.activity.After(l.view.Now.Add(time.Minute)) {
		l.doubts.About("clock-ahead", conflicts.Info, full, "has its last activity in the future: this time or a clock is wrong")
	}
}

// checkQuestions compares the questions with the gaps in the specification, by gap id, and warns about contradictions. One question may be
// about several gaps.
func (l *checked) checkQuestions() {
	full := l.file("index.md")
	asked, clarified := map[string]bool{}, map[string]bool{}
	for _, g := range l.x.gaps {
		clarified[g.id] = clarified[g.id] || g.is("clarifying")
	}
	for _, q := range l.x.questions {
		if q.pending() && unset(q.text) {
			l.broken = true
			l.doubts.About(sources.DoubtInvalidState, conflicts.Blocking, full, "lists the question %s, but the text of the question is missing: its table row is incomplete", q.id)
		}
		if q.lost() && slices.ContainsFunc(l.pending, func(a question) bool { return a.id == q.id }) {
			l.doubts.About(sources.DoubtMissing, conflicts.Warning, full, "says that %s is answered, but does not have the answer: it must be asked again", q.id)
		}
		if q.mentioned && unset(q.answer) && q.pending() {
			l.doubts.About(sources.DoubtMissing, conflicts.Warning, full, "names %s in its section of answers, but no answer can be read there", q.id)
		}
		if !q.known() {
			l.doubts.About(sources.DoubtUnknownWord, conflicts.Info, full, "has the question %s with the unknown status %s", q.id, q.status)
		}
		for _, id := range q.gaps {
			asked[id] = true
			if _, queued := clarified[id]; !queued && (q.pending() || l.unapplied(q.id)) {
				l.doubts.About("question-without-gap", conflicts.Warning, full, "has the question %s about the gap %s, which is not in the gap queue", q.id, id)
			} else if q.pending() && !clarified[id] {
				l.doubts.About("question-without-gap", conflicts.Warning, full, "has the question %s about the gap %s, but the status of that gap is not 'clarifying'", q.id, id)
			}
		}
	}
	for _, g := range l.x.gaps {
		if (l.x.status == clarifying || l.comparesGaps()) && g.is("clarifying") && !asked[g.id] {
			l.doubts.About("gap-without-question", conflicts.Warning, full, "has the gap %s, which no question asks about", g.id)
		}
		if !g.is("pending", "clarifying", "resolved", "deferred", "knowngap") {
			l.doubts.About(sources.DoubtUnknownWord, conflicts.Info, full, "has the gap %s with the unknown status %s", g.id, cmp.Or(g.status, "(none)"))
		}
	}
}

// checkPointer warns if other parts of the state, such as the current phase or the open gaps, contradict the loop status. It also reports
// times without a time zone.
func (l *checked) checkPointer() {
	x, full := l.x, l.file("index.md")
	if phase := foldStatus(x.flow["current phase"]); phase != "" && phase != x.status && slices.Contains(statuses, phase) {
		l.doubts.About(sources.DoubtStatusWord, conflicts.Warning, full, "has the current phase %s, but the loop status %s; the loop status is used", phase, cmp.Or(x.status, "(none)"))
	}
	if x.naive {
		l.doubts.About(sources.DoubtLocalTime, conflicts.Info, full, "has times without a time zone; local time is assumed")
	}
	reason := sources.FoldWord(x.loop["termination reason"])
	if x.status == completed && reason != "maxiterations" && reason != "stale" {
		for _, g := range x.gaps {
			if g.must() && g.is("pending", "clarifying") {
				l.doubts.About(sources.DoubtDiscrepancy, conflicts.Warning, full, "has the loop status completed, but its %s gap %s is %s", strings.ToLower(g.priority), g.id, g.status)
			}
		}
	}
	if x.status == completed && !l.hasSpec() {
		l.doubts.About(sources.DoubtNoEvidence, conflicts.Warning, full, "has the loop status completed, but %s is missing or empty", l.specName())
	}
}

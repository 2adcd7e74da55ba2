package specloop

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// loop is the specification loop of one feature.
type loop struct {
	*feature
	home sources.Tree
	data []byte
	x    *index // nil if there is none that can be read
	when time.Time
	from string
	// damaged: the index is there and cannot be read; good is an older version of it that can.
	damaged bool
	good    []byte
	// pending wait for an answer; answered have one that was not applied: their gaps are still being clarified.
	pending, answered []question
	spec              *bool // whether spec.md is there, once it was looked at
	// broken: the index breaks rules that it must hold; torn: it was cut off inside a question, which has no text.
	broken, torn bool
	// last: it is in its last iteration, and its own protocol would do something else than end it.
	last bool
}

// steps are the phases of the workflow, with what is done in each.
var steps = []struct{ id, title string }{
	{"A1", "scaffold the feature"}, {"A2", "write the specification"}, {"A3", "validate the specification"},
	{"B1", "ask the pending questions"}, {"B2", "apply the answers"}, {"B3", "validate the specification again"}, {"C", "end the loop"},
}

func title(id string) string {
	for _, s := range steps {
		if s.id == id {
			return s.title
		}
	}
	return ""
}

// point maps what the index says to where the workflow goes on.
func (l *loop) point() (at string, reason string, state sources.State) {
	x := l.x
	if x == nil {
		return l.withoutIndex()
	}
	switch {
	case len(x.says) > 1:
		return "", "its loop status is " + strings.Join(x.says, " and also "), sources.Unknown
	case x.blank, x.status == notStarted, x.status == "":
		return "A1", "the workflow has not started", sources.NotStarted
	case x.status == scaffolding && l.hasSpec():
		return "A2", "the scaffold has come as far as " + l.specName(), sources.Interrupted
	case x.status == scaffolding && l.home.Has(l.specFile()):
		return "A1", "the scaffold is not complete, and " + l.specName() + " is empty; it is safe to run it again", sources.Interrupted
	case x.status == scaffolding:
		return "A1", "the scaffold is not complete; it is safe to run it again", sources.Interrupted
	case x.status == specWriting:
		return "A2", "the specification was being written; it is safe to write it again", sources.Interrupted
	case x.status == validating:
		return l.validation("the validation did not finish")
	case x.status == clarifying:
		return l.clarification()
	case x.status == completed:
		return "", "", sources.Complete
	case x.status == terminated && sources.FoldWord(first(x.loop, "termination reason")) == "success":
		return "", "", sources.Complete
	case x.status == terminated:
		return "", "", sources.Ended
	}
	return "", "the status '" + x.status + "' is not known", sources.Unknown
}

// withoutIndex: nothing tells how far the workflow came, except the specification itself.
func (l *loop) withoutIndex() (string, string, sources.State) {
	switch {
	case l.damaged && l.hasSpec():
		return "", "the index cannot be read, and spec.md is there", sources.Corrupt
	case l.damaged:
		return "", "the index cannot be read, and there is no spec.md", sources.Corrupt
	}
	return "A1", "the scaffold was interrupted before it wrote an index", sources.Interrupted
}

// validation is the first one or one within the loop; without a specification there is nothing to validate.
func (l *loop) validation(why string) (string, string, sources.State) {
	switch {
	case !l.hasSpec():
		l.doubt(sources.DoubtMissing, conflicts.Warning, path.Join(l.dir, "spec.md"), "is missing; it has to be written again")
		return "A2", "spec.md is missing", sources.Interrupted
	case l.x.iteration >= l.x.rounds:
		l.lastRound("validate once more (B3)")
		return "C", fmt.Sprintf("all %d iterations are used", l.x.rounds), sources.Interrupted
	case l.x.iteration == 0:
		l.doubt(sources.DoubtInvalidState, conflicts.Info, l.file("index.md"), "has the iteration %s, and the protocol counts from 1; it is taken for the first one", written(l.x.loop["current iteration"]))
		return "A3", why, sources.Interrupted
	case l.x.iteration <= 1:
		return "A3", why, sources.Interrupted
	}
	return "B3", why, sources.Interrupted
}

// clarification: answers that were given are applied before anything is asked again.
func (l *loop) clarification() (string, string, sources.State) {
	pending, answered := l.pending, l.answered
	switch {
	case l.torn:
		return "B1", "a question of the index has no text", sources.Interrupted
	case len(answered) > 0:
		return "B2", fmt.Sprintf("%s answered, and not applied yet", sources.Count(len(answered), "question was", "questions were")), sources.Interrupted
	case l.x.iteration >= l.x.rounds && len(pending) > 0:
		l.lastRound("ask " + pending[0].id + " again (B1)")
		return "C", fmt.Sprintf("all %d iterations are used, and %s open", l.x.rounds, sources.Count(len(pending), "question is", "questions are")), sources.Waiting
	case len(pending) > 0:
		return "B1", sources.Count(len(pending), "question waits", "questions wait") + " for an answer", sources.Waiting
	case l.x.iteration >= l.x.rounds:
	case len(l.unasked()) > 0:
		return "B1", fmt.Sprintf("the gap %s is being clarified, and no question asks for it", l.unasked()[0]), sources.Interrupted
	case len(l.x.questions) == 0 && len(l.x.gaps) == 0: // nothing shows that anything was asked, or settled
		return "B1", "questions were to be asked, and none is recorded", sources.Interrupted
	case l.open() != "":
		return "B1", fmt.Sprintf("the gap %s is open, and no question asks for it", l.open()), sources.Interrupted
	}
	return l.validation("no question is open")
}

// open is a gap without which the workflow cannot end, that waits to be clarified and that no question asks for; empty if there is none.
func (l *loop) open() string {
	for _, g := range l.x.gaps {
		if g.must() && g.is("pending") && !slices.ContainsFunc(l.x.questions, func(q question) bool { return slices.Contains(q.gaps, g.id) }) {
			return g.id
		}
	}
	return ""
}

// lastRound tells what the protocol itself would do in the last iteration; that the loop ends instead is for a person to confirm.
func (l *loop) lastRound(does string) {
	if l.broken {
		return // its rules come first
	}
	l.last = true
	l.doubt(sources.DoubtOwnCheck, conflicts.Warning, l.file("index.md"), "is in the last of its %d iterations: its own protocol would %s before the loop ends", l.x.rounds, does)
}

// unasked are the gaps that are being clarified although no question, open or answered, asks for them.
func (l *loop) unasked() []string {
	asked := map[string]bool{}
	for _, q := range slices.Concat(l.pending, l.answered) {
		for _, id := range q.gaps {
			asked[id] = true
		}
	}
	var out []string
	for _, g := range l.x.gaps {
		if g.is("clarifying") && !asked[g.id] {
			out = append(out, g.id)
		}
	}
	return out
}

// unmatched are the statuses by which gaps and questions would fit together again: a gap that an open question asks for is being clarified,
// and one that none asks for is pending. A gap that was put off, or is not in the queue, is left to a person.
func (l *loop) unmatched() map[string]string {
	out := map[string]string{}
	if l.x == nil || l.x.status != clarifying || l.torn {
		return out
	}
	for _, id := range l.unasked() {
		out[id] = "pending"
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

// misfits: an open question asks for a gap that is not being clarified, or the other way round. The protocol's own check fails then.
func (l *loop) misfits() bool {
	if l.x == nil || l.x.status != clarifying {
		return false
	}
	for _, q := range l.pending {
		for _, id := range q.gaps {
			if !slices.ContainsFunc(l.x.gaps, func(g gap) bool { return g.id == id && g.is("clarifying") }) {
				return true
			}
		}
	}
	return len(l.unasked()) > 0
}

// sort the questions into those that wait and those whose answer waits.
func (l *loop) sort() {
	if l.x == nil {
		return
	}
	clarified := map[string]bool{}
	for _, g := range l.x.gaps {
		clarified[g.id] = clarified[g.id] || g.is("clarifying", "pending")
	}
	for _, q := range l.x.questions {
		switch {
		case q.pending() && unset(q.text):
			l.torn = true
		case q.pending():
			l.pending = append(l.pending, q)
		case q.answered() && (len(q.gaps) == 0 || slices.ContainsFunc(q.gaps, func(id string) bool { return clarified[id] })):
			l.answered = append(l.answered, q)
		}
	}
}

// tasks are the steps of the workflow, then its gaps, then the questions that are not settled.
func (l *loop) tasks(at string, state sources.State) []sources.Task {
	var out []sources.Task
	last := steps[:3] // the loop begins with its first question or second iteration
	if l.x != nil && (l.x.iteration > 1 || len(l.x.questions) > 0 || strings.HasPrefix(at, "B") || at == "C") {
		last = steps
	}
	reached, left := at == "", l.unfinishedAt(at)
	for _, s := range last {
		t := sources.Task{ID: s.id, Title: s.title, Phase: "workflow", State: checkpoint.Done}
		switch {
		case s.id == at && (state == sources.NotStarted || at == "B2" || at == "C" || at == "A2" && l.x != nil && l.x.status == scaffolding): // due, and nothing says that it was started
			reached, t.State = true, checkpoint.Pending
		case s.id == at && state == sources.Waiting:
			reached, t.State = true, sources.TaskWaiting
		case s.id == "B1" && at != "" && len(l.pending) > 0 && (l.x.status == clarifying || at == "B3"): // answers are applied first, and this question stays
			t.State = sources.TaskWaiting
		case s.id == at:
			reached, t.State = true, checkpoint.Active
		case (reached || left != "" && s.id >= left) && state.Open(): // steps are named in their order
			t.State = checkpoint.Pending
		case state == sources.Ended && !l.passed(s.id):
			t.State = checkpoint.Skipped
		}
		if state == sources.Unknown || state == sources.Corrupt && l.x == nil {
			t.State = sources.TaskUnknown
		}
		out = append(out, t)
	}
	if l.x == nil {
		return out
	}
	applied := map[string]bool{}
	for _, q := range l.answered {
		for _, id := range q.gaps {
			applied[id] = true
		}
	}
	for _, g := range l.x.gaps {
		out = append(out, g.task(applied[g.id]))
	}
	for _, q := range l.pending {
		out = append(out, sources.Task{ID: q.id, Title: q.text, Phase: "questions", Aside: true, State: sources.TaskWaiting, Raw: q.status})
	}
	for _, q := range l.answered {
		out = append(out, sources.Task{ID: q.id, Title: q.text, Phase: "questions", Aside: true, State: checkpoint.Active, Raw: "answered", Evidence: "answer: " + q.answer})
	}
	return out
}

// passed: a workflow that was terminated had this step behind it, by its iteration.
func (l *loop) passed(step string) bool {
	switch {
	case l.x == nil || step == "C":
		return false
	case strings.HasPrefix(step, "B"):
		return l.x.iteration > 1
	}
	return l.x.iteration > 0
}

// unfinishedAt is the step that was under way when the iterations were used up: the loop ends, and that step was not done.
func (l *loop) unfinishedAt(at string) string {
	switch {
	case at != "C":
		return ""
	case l.x.status == clarifying && len(l.pending) > 0:
		return "B1"
	}
	return "B3"
}

// task is the gap as a unit of the work; answered says that its answer only has to be applied.
func (g *gap) task(answered bool) sources.Task {
	t := sources.Task{ID: g.id, Title: g.text, Phase: "gaps", Aside: true, Raw: g.status, Evidence: g.resolution, Optional: !g.must(), State: sources.TaskUnknown}
	switch {
	case g.is("resolved"):
		t.State = checkpoint.Done
	case g.is("deferred", "knowngap"):
		t.State = checkpoint.Skipped
	case g.is("pending"):
		t.State = checkpoint.Pending
	case g.is("clarifying"):
		t.State = sources.TaskWaiting
		if answered {
			t.State = checkpoint.Active
		}
	}
	return t
}

var questionID = sources.NewForm(`^C(\d+)\.\d+$`)

// likely is the state that the rest of the index speaks for, where its own words cannot be right.
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

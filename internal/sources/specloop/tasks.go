package specloop

import (
	"cmp"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/sources"
)

// stepList works out the state of each step of a workflow.
type stepList struct{ of description }

// tasks returns the steps of the workflow, followed by the gaps in its specification and its unsettled questions.
func (l stepList) tasks(state sources.State) []sources.Task {
	at := l.of.at
	var out []sources.Task
	last := steps[:3] // the list has only the first three steps until there is a question or a second iteration
	if l.of.x != nil && (l.of.x.iteration > 1 || len(l.of.x.questions) > 0 || strings.HasPrefix(at, "B")) {
		last = steps
	}
	reached := at == ""
	for _, s := range last {
		t := sources.Task{ID: s.id, Title: s.title, Phase: "workflow", State: checkpoint.Done}
		switch {
		case s.id == at && l.onlyDue(state):
			reached, t.State = true, checkpoint.Pending
		case s.id == at && state == sources.Waiting:
			reached, t.State = true, sources.TaskWaiting
		case s.id == "B1" && at != "" && len(l.of.pending) > 0 && (l.of.x.status == clarifying || at == "B3"): // step B1 stays waiting as long as a question has no answer
			t.State = sources.TaskWaiting
		case s.id == at:
			reached, t.State = true, checkpoint.Active
		case reached && state.Open():
			t.State = checkpoint.Pending
		case state == sources.Ended && !l.passed(s.id):
			t.State = checkpoint.Skipped
		}
		if state == sources.Unknown || state == sources.Corrupt && l.of.x == nil {
			t.State = sources.TaskUnknown
		}
		if s.id == "C" && goesOn(l.of) {
			t.Title = "end the loop, or ask again"
		}
		out = append(out, t)
	}
	if l.of.x == nil {
		return out
	}
	applied := map[string]bool{}
	for _, q := range l.of.answered {
		for _, id := range q.gaps {
			applied[id] = true
		}
	}
	for _, g := range l.of.x.gaps {
		out = append(out, g.task(applied[g.id]))
	}
	for _, q := range l.of.pending {
		raw := q.status
		if q.lost() {
			raw = "marked as answered, but the answer is missing"
		}
		out = append(out, sources.Task{ID: q.id, Title: q.text, Phase: "questions", Aside: true, State: sources.TaskWaiting, Raw: raw})
	}
	for _, q := range l.of.answered {
		out = append(out, sources.Task{ID: q.id, Title: cmp.Or(q.text, "a question that index.md no longer has"), Phase: "questions", Aside: true, State: checkpoint.Active, Raw: "answered", Evidence: "answer: " + q.answer})
	}
	return out
}

// onlyDue reports whether nobody has started the next step yet, as far as the index shows.
func (l stepList) onlyDue(state sources.State) bool {
	switch {
	case state == sources.NotStarted || l.of.at == "B2":
		return true
	case l.of.x == nil:
		return false
	}
	return l.of.at == "A2" && l.of.x.status == scaffolding || l.of.x.status == clarifying && state != sources.Waiting
}

// passed reports whether a terminated workflow had finished a step. It decides by the iteration number.
func (l stepList) passed(step string) bool {
	switch {
	case l.of.x == nil || step == "C":
		return false
	case strings.HasPrefix(step, "B"):
		return l.of.x.iteration > 1
	}
	return l.of.x.iteration > 0
}

// task converts a gap in the specification into a task. If "answered" is true, the gap has an answer that is not applied yet.
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

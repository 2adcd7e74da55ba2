package specloop

import (
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/sources"
)

// tasks returns the steps of the workflow, followed by its gaps and its unsettled questions.
func (l description) tasks(state sources.State) []sources.Task {
	at := l.at
	var out []sources.Task
	last := steps[:3] // show only the first three steps until the loop has asked a question or started its second iteration
	if l.x != nil && (l.x.iteration > 1 || len(l.x.questions) > 0 || strings.HasPrefix(at, "B") || at == "C") {
		last = steps
	}
	reached, left := at == "", l.unfinished()
	for _, s := range last {
		t := sources.Task{ID: s.id, Title: s.title, Phase: "workflow", State: checkpoint.Done}
		switch {
		case s.id == at && l.onlyDue(state):
			reached, t.State = true, checkpoint.Pending
		case s.id == at && state == sources.Waiting:
			reached, t.State = true, sources.TaskWaiting
		case s.id == "B1" && at != "" && len(l.pending) > 0 && (l.x.status == clarifying || at == "B3" || l.own.Task == "B3"): // the existing answers are applied first, and the other questions stay open
			t.State = sources.TaskWaiting
		case s.id == at:
			reached, t.State = true, checkpoint.Active
		case (reached || left != "" && s.id >= left) && state.Open(): // the step ids are in alphabetical order
			t.State = checkpoint.Pending
		case state == sources.Ended && !l.passed(s.id):
			t.State = checkpoint.Skipped
		}
		if state == sources.Unknown || state == sources.Corrupt && l.x == nil {
			t.State = sources.TaskUnknown
		}
		if s.id == "C" && goesOn(l) {
			t.Title = "end the loop, or ask again"
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
		raw := q.status
		if q.lost() {
			raw = "answered without an answer"
		}
		out = append(out, sources.Task{ID: q.id, Title: q.text, Phase: "questions", Aside: true, State: sources.TaskWaiting, Raw: raw})
	}
	for _, q := range l.answered {
		out = append(out, sources.Task{ID: q.id, Title: q.text, Phase: "questions", Aside: true, State: checkpoint.Active, Raw: "answered", Evidence: "answer: " + q.answer})
	}
	return out
}

// onlyDue reports whether the next step is due but nothing shows that it was started.
func (l description) onlyDue(state sources.State) bool {
	switch {
	case state == sources.NotStarted || l.at == "B2" || l.at == "C":
		return true
	case l.x == nil:
		return false
	}
	return l.at == "A2" && l.x.status == scaffolding || l.x.status == clarifying && state != sources.Waiting
}

// passed reports whether a terminated workflow had finished this step. The iteration number shows it.
func (l description) passed(step string) bool {
	switch {
	case l.x == nil || step == "C":
		return false
	case strings.HasPrefix(step, "B"):
		return l.x.iteration > 1
	}
	return l.x.iteration > 0
}

// unfinished returns the step that was in progress when the maximum number of iterations was reached. The loop ends without this step.
func (l description) unfinished() string {
	switch {
	case l.at != "C":
		return ""
	case l.own.Task != "":
		return l.own.Task
	case l.x.status == clarifying && len(l.pending) > 0:
		return "B1"
	}
	return "B3"
}

// task describes the gap as a task. The argument answered says that an answer exists and only has to be applied.
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

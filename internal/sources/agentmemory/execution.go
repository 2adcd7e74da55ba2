package agentmemory

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// judge finds out where a run stands: what lies before the execution and after it is told by early and later.
type judge struct{ *run }

// execution finds the task to go on with: one that was begun, else the first that can be worked on.
func (r judge) execution(phase string) stage {
	st := stage{phase: phase, state: sources.Interrupted, questions: r.questions()}
	if r.circle != nil {
		st.state, st.action = sources.Blocked, "repair the task graph: "+strings.Join(r.circle, " → ")
		st.point.Reason = "tasks need each other in a circle"
		return st
	}
	if r.graphless() {
		st.action = "break the plan into tasks"
		st.point = sources.Point{Task: "task-graph", Title: st.action, Reason: "no task graph is there"}
		r.lacks(path.Join(r.dir, "task-graph.json"), "the step that makes it is due again")
		return st
	}
	next := r.next()
	if next == nil {
		return r.stuck(st)
	}
	st.point = sources.Point{Task: next.ID, Title: next.Title, Reason: r.reason(next)}
	st.action = "execute " + named(next)
	if next.State == checkpoint.Failed {
		r.doubts.About("next-failed", conflicts.Warning, path.Join(r.dir, next.Evidence), "tells that %s failed%s: it is tried again", next.ID, r.fault(next.ID))
	}
	if foldKind(next.Raw) == "task-implemented" {
		st.action = "verify " + named(next)
	}
	for _, e := range r.ledger.asked {
		if e.details.Get("requires_response").True() {
			st.state = sources.Waiting
		}
	}
	return st
}

// next prefers what was begun, and of that what nobody had to set free first: an answer does not put other work off.
// A task that failed too often is left to a person.
func (r judge) next() *sources.Task {
	var first, freed *sources.Task
	ready := map[string]bool{}
	for _, id := range r.runnable {
		ready[id] = true
	}
	for i := range r.tasks {
		t := &r.tasks[i]
		if !ready[t.ID] || r.usedUp(t.ID) {
			continue
		}
		switch {
		case t.State == checkpoint.Active && !r.freed(t):
			return t
		case t.State == checkpoint.Active && freed == nil:
			freed = t
		case first == nil:
			first = t
		}
	}
	return cmp.Or(freed, first)
}

// byPerson reports whether a task is as it is because of what a person did here.
func byPerson(t *sources.Task) bool { return strings.HasPrefix(t.Evidence, "events/"+ownActor+"/") }

// freed reports whether a task is in progress only because a person answered here what it waited for.
func (r judge) freed(t *sources.Task) bool {
	m := r.ledger.tasks[t.ID]
	return byPerson(t) && m != nil && m.by != nil && m.by.details.Get("reason").Text() == whyAnswered
}

func (r judge) reason(t *sources.Task) string {
	switch {
	case foldKind(t.Raw) == "task-implemented":
		return "it is implemented and awaits verification"
	case t.State == checkpoint.Active && byPerson(t):
		return "a person let it be worked on again"
	case t.State == checkpoint.Active:
		return "it was started and not finished"
	case t.State == checkpoint.Failed:
		return "it failed" + r.fault(t.ID) + ", and what it needs is done"
	}
	return "it is the first one whose needs are done"
}

// stuck says why nothing can be worked on.
func (r judge) stuck(st stage) stage {
	st.state = sources.Blocked
	unknown := false // the task that is shown needs one that is not there: that is what holds up the others
	for _, t := range r.tasks {
		if !unfinished(t) {
			continue
		}
		unmet, lost := r.unmet(t)
		if st.point.Task == "" || lost != "" && !unknown {
			unknown = lost != ""
			st.point = sources.Point{Task: t.ID, Title: t.Title, Reason: "it waits for what it needs: " + strings.Join(unmet, ", ")}
			st.action = "nothing can be worked on: " + named(&t) + " waits for " + strings.Join(unmet, ", ")
			if unknown {
				st.action += "; " + lost + " is not in the task graph"
			}
		}
		if t.State == checkpoint.Blocked {
			st.point = sources.Point{Task: t.ID, Title: t.Title, Reason: "it is blocked"}
			st.action = "nothing can be worked on: " + named(&t) + " is blocked"
			return st
		}
		if r.usedUp(t.ID) {
			st.state = sources.Waiting
			st.point = sources.Point{Task: t.ID, Title: t.Title, Reason: fmt.Sprintf("it failed %d times, and only a person lets it be tried again", r.ledger.tasks[t.ID].failures)}
			st.action = "decide about " + named(&t)
			return st
		}
	}
	return st
}

// questions are what blocks tasks, and what was escalated and not answered.
func (r judge) questions() []sources.Question {
	const most = 50
	var out []sources.Question
	for _, t := range r.tasks {
		if len(out) >= most {
			break
		}
		m := r.ledger.tasks[t.ID]
		switch {
		case t.State == checkpoint.Blocked:
			text := cmp.Or(m.by.details.Get("blocker_description", "reason", "description", "blocker").Text(), named(&t)+" is blocked")
			q := sources.Question{Task: t.ID, Text: text, Options: m.by.details.Get("options").Texts()}
			q.Block = len(q.Options) == 0 && !strings.HasSuffix(strings.TrimSpace(text), "?")
			out = append(out, q)
		case unfinished(t) && r.usedUp(t.ID):
			r.doubts.About(sources.DoubtUsedUp, conflicts.Warning, path.Join(r.dir, t.Evidence), "is failure %d of %s", m.failures, t.ID)
			out = append(out, sources.Question{Task: t.ID, Text: fmt.Sprintf("%s failed %d times: what should the next try do differently?", named(&t), m.failures)})
		}
	}
	for _, e := range r.ledger.asked {
		if text := e.details.Get("description", "question").Text(); text != "" {
			out = append(out, sources.Question{Task: escalated(e), Text: text, Options: e.details.Get("options").Texts()})
		}
	}
	return out
}

const escalation = "escalation/"

// escalated names what an escalation is about, in a way that an answer to it can be told apart.
func escalated(e *event) string {
	if e.id == "" && e.task != "" {
		return e.task
	}
	return escalation + e.id
}

// lacks tells that a document is missing and what follows from it; what was already told of the file is not told twice.
func (r judge) lacks(full, what string) {
	for i := range r.doubts {
		if d := &r.doubts[i]; d.Path == full && d.Severity >= conflicts.Warning {
			d.Text += "; " + what
			return
		}
	}
	r.doubts.About(sources.DoubtMissing, conflicts.Warning, full, "is missing; %s", what)
}

// gate is a place that only a person passes.
func (r judge) gate(phase, name string) stage {
	doc := "plan.md"
	switch {
	case name == gateBootstrap:
		doc = "bootstrap-plan.md"
	case !r.docs[doc]:
		doc = "prd.md"
	}
	text := fmt.Sprintf("is %s approved?", path.Join(r.dir, doc))
	if n := len(r.tasks); n > 0 {
		text += " (" + sources.Count(n, "task", "tasks") + ")"
	}
	return stage{phase: phase, state: sources.Waiting, action: "wait for the " + name,
		point:     sources.Point{Task: "approval", Title: name, Reason: "only a person passes this gate"},
		questions: []sources.Question{{Task: "approval", Text: text}}}
}

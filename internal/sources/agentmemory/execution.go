package agentmemory

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// executionReader determines the stage of a run during the execution.
type executionReader struct{ *run }

// execution returns the stage of a run in the execution phase: the next task, or what must be done before a task can be worked on.
func (r executionReader) execution(phase string) stage {
	st := stage{phase: phase, state: sources.Interrupted, questions: r.questions()}
	if r.circle != nil {
		st.state, st.action = sources.Blocked, "repair the cycle in the task graph: "+strings.Join(r.circle, " → ")
		st.point.Reason = "tasks depend on each other in a cycle"
		return st
	}
	if r.graphless() {
		st.action = "break the plan into tasks"
		st.point = sources.Point{Task: "task-graph", Title: st.action, Reason: "there is no task graph"}
		r.lacks(path.Join(r.dir, "task-graph.json"), "the step that creates the missing document must be repeated")
		return st
	}
	next := r.next()
	if next == nil {
		return r.stuck(st)
	}
	st.point = sources.Point{Task: next.ID, Title: next.Title, Reason: r.reason(next)}
	st.action = "execute " + named(next)
	if next.State == checkpoint.Failed {
		r.doubts.About("next-failed", conflicts.Warning, path.Join(r.dir, next.Evidence), "says that %s failed%s; the task is tried again", next.ID, r.fault(next.ID))
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

// next returns the next task to work on, or nil if there is none. Tasks that were started come first, then tasks that an answer has
// unblocked, then all others. It skips tasks that failed too often, because a person has to decide about them.
func (r executionReader) next() *sources.Task {
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

// byPerson reports whether the state of a task comes from an event that git-resume wrote at the request of a person.
func byPerson(t *sources.Task) bool { return strings.HasPrefix(t.Evidence, "events/"+ownActor+"/") }

// freed reports whether the last event of a task is the start that git-resume recorded when the user answered a question.
func (r executionReader) freed(t *sources.Task) bool {
	m := r.ledger.tasks[t.ID]
	return byPerson(t) && m != nil && m.by != nil && m.by.details.Get("reason").Text() == whyAnswered
}

func (r executionReader) reason(t *sources.Task) string {
	switch {
	case foldKind(t.Raw) == "task-implemented":
		return "it is implemented and awaits verification"
	case t.State == checkpoint.Active && r.freed(t):
		return "a person answered what it waited for"
	case t.State == checkpoint.Active && byPerson(t):
		return "a person started it again"
	case t.State == checkpoint.Active:
		return "it was started but not finished"
	case t.State == checkpoint.Failed:
		return "it failed" + r.fault(t.ID) + ", and its dependencies are done"
	}
	for _, later := range r.tasks {
		if later.State == checkpoint.Done && slices.Contains(later.Needs, t.ID) {
			return fmt.Sprintf("nothing says that it was done, although %s, which needs it, is done", later.ID)
		}
	}
	return "it is the first open task that can start"
}

// stuck explains why no task can be worked on.
func (r executionReader) stuck(st stage) stage {
	st.state = sources.Blocked
	unknown := false // true if the task in st.point depends on a task that does not exist
	for _, t := range r.tasks {
		if !unfinished(t) {
			continue
		}
		unmet, lost := r.unmet(t)
		if st.point.Task == "" || lost != "" && !unknown {
			unknown = lost != ""
			st.point = sources.Point{Task: t.ID, Title: t.Title, Reason: "it waits for its dependencies: " + strings.Join(unmet, ", ")}
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
			st.point = sources.Point{Task: t.ID, Title: t.Title, Reason: fmt.Sprintf("it failed %d times, and only a person can allow another try", r.ledger.tasks[t.ID].failures)}
			st.action = "decide about " + named(&t)
			return st
		}
	}
	if unknown { // no answer makes the task exist, so the question is about no task that could be started again
		st.questions = append(st.questions, sources.Question{Text: fmt.Sprintf("%s; add it there, or remove it from what %s needs", strings.TrimPrefix(st.action, "nothing can be worked on: "), st.point.Task)})
	}
	return st
}

// questions lists the questions about blocked tasks and about tasks that failed too often, and the escalations that no person has
// answered.
func (r executionReader) questions() []sources.Question {
	const most = 50
	var out []sources.Question
	for _, t := range r.tasks {
		if len(out) >= most {
			break
		}
		m := r.ledger.tasks[t.ID]
		switch {
		case t.State == checkpoint.Blocked:
			text := cmp.Or(m.by.details.Get(blockers...).Text(), named(&t)+" is blocked")
			q := sources.Question{Task: t.ID, Text: text, Options: m.by.details.Get("options").Texts(), Then: t.ID + " marked as started again"}
			q.Block = len(q.Options) == 0 && !strings.HasSuffix(strings.TrimSpace(text), "?")
			out = append(out, q)
		case unfinished(t) && r.usedUp(t.ID):
			r.doubts.About(sources.DoubtUsedUp, conflicts.Warning, path.Join(r.dir, t.Evidence), "records failure %d of %s", m.failures, t.ID)
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

// blockers lists the fields of an event that say why its task is blocked.
var blockers = []string{"blocker_description", "reason", "description", "blocker", "question", "message"}

const escalation = "escalation/"

// escalated returns the name that an answer uses for an escalation: "escalation/" and its id. An escalation without an id has the name of
// its task.
func escalated(e *event) string {
	if e.id == "" && e.task != "" {
		return e.task
	}
	return escalation + e.id
}

// lacks adds a warning about a missing document. If there is already a warning about this file, it extends that warning.
func (r executionReader) lacks(full, what string) {
	for i := range r.doubts {
		if d := &r.doubts[i]; d.Path == full && d.Severity >= conflicts.Warning {
			if d.Code == sources.DoubtDamaged {
				what = r.orRestored(full, what)
			}
			d.Text += "; " + what
			return
		}
	}
	r.doubts.About(sources.DoubtMissing, conflicts.Warning, full, "is missing; %s", r.orRestored(full, what))
}

// approval is the name under which a gate is answered.
const approval = "approval"

// gate returns the stage in which a run waits for an approval that only a person can give.
func (r executionReader) gate(phase, name string) stage {
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
	options := []string{"yes", "no"}
	if name == gateBootstrap {
		options = bootstrapOptions
	}
	return stage{phase: phase, state: sources.Waiting, action: "wait for the " + name,
		point:     sources.Point{Task: approval, Title: name, Reason: "only a person can give this approval"},
		questions: []sources.Question{{Task: approval, Text: text, Options: options}}}
}

package agentmemory

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// documents are the files whose presence tells the phase.
var documents = []string{"prd.md", "plan.md", "constitution.md", "pr-checklist.md", "bootstrap-plan.md", "dependency-report.md"}

// stage is where a run stands and what comes next.
type stage struct {
	phase     string
	state     sources.State
	action    string
	point     sources.Point
	questions []sources.Question
	missing   []sources.File
}

func (r *run) stage() stage {
	switch {
	case r.ledger.end != nil:
		return r.closed()
	case r.flow.later:
		st := r.laterStage()
		if r.flow.paused && st.state.Open() {
			st.state = sources.Paused
		}
		return st
	}
	return r.earlyStage()
}

// closed is a run with a last word; tasks that it left open are told.
func (r *run) closed() stage {
	e := r.ledger.end
	st := stage{phase: "4", state: sources.Complete, action: "nothing: " + e.raw}
	if r.flow.later {
		st.phase = "6"
	}
	switch e.kind {
	case "run-cancelled", "run-canceled", "run-failed":
		st.state, st.phase = sources.Ended, r.reached()
		return st
	}
	if i := slices.IndexFunc(r.tasks, unfinished); i >= 0 {
		r.doubt(sources.DoubtDiscrepancy, conflicts.Warning, path.Join(r.dir, e.where), "tells %s, and %s is not done", e.raw, r.tasks[i].ID)
	}
	return st
}

// reached is the phase in which a run was when it was closed; what is missing there is nobody's concern any more.
func (r *run) reached() string {
	doubts := len(r.doubts)
	defer func() { r.doubts = r.doubts[:doubts] }()
	if r.flow.later {
		return r.laterStage().phase
	}
	return r.earlyStage().phase
}

// earlyStage is the phase by the documents: each one that is missing has a step that makes it.
func (r *run) earlyStage() stage {
	lost := r.lostDocuments()
	due := func(phase, task, action, file string) stage {
		st := stage{phase: phase, state: sources.Interrupted, action: action, point: sources.Point{Task: task, Title: action, Reason: file + " is not there yet"}}
		unreadable := func(d sources.Doubt) bool { return d.Code == sources.DoubtDamaged && d.Path == path.Join(r.dir, file) }
		switch {
		case slices.ContainsFunc(r.doubts, unreadable):
			st.point.Reason = file + " cannot be read"
		case slices.Contains(lost, file):
			st.point.Reason = file + " is missing"
			st.missing = []sources.File{{Path: path.Join(r.dir, file), For: task, Missing: true}}
		}
		return st
	}
	switch {
	case !r.docs["prd.md"]:
		st := due("0", "prd", "continue the PRD", "prd.md")
		if len(r.ledger.events) == 0 && !r.docs["plan.md"] && len(r.tasks) == 0 && !r.ledger.unread {
			st.state = sources.NotStarted
		}
		return st
	case r.approvalAsked():
		return r.gate(map[bool]string{true: "1", false: "0"}[r.docs["plan.md"]], "approval that was asked for")
	case !r.docs["plan.md"]:
		return due("1", "plan", "continue the plan", "plan.md")
	case r.graphless():
		return due("1", "task-graph", "break the plan into tasks", "task-graph.json")
	case !r.approved():
		return r.gate("1", "plan approval")
	case !r.docs["constitution.md"]:
		return due("1", "constitution", "write the constitution of the approved plan", "constitution.md")
	case !r.allDone():
		r.early()
		return r.execution("2")
	case !r.prReady():
		task, action := "cleanup", "run cleanup and PR preparation again"
		if r.ledger.has("cleanup-completed", "cleanup-complete") {
			task, action = "pr-prep", "run PR preparation again"
		}
		return stage{phase: "3", state: sources.Interrupted, action: action, point: sources.Point{Task: task, Title: action, Reason: "all tasks are done, and nothing shows that the pull request is ready"}}
	case !r.consolidated():
		return stage{phase: "4", state: sources.Interrupted, action: "run memory consolidation",
			point: sources.Point{Task: "consolidation", Title: "run memory consolidation", Reason: "the pull request is ready, and nothing was consolidated"}}
	}
	return stage{phase: "4", state: sources.Complete, action: "nothing: the run is consolidated"}
}

// lostDocuments are those that are not there, although something that comes after them is; each one is told.
func (r *run) lostDocuments() []string {
	order := []string{"prd.md", "plan.md", "task-graph.json", "constitution.md"}
	there := func(name string) bool {
		return r.docs[name] || name == "task-graph.json" && len(r.graph.nodes) > 0 && !r.partial
	}
	later := r.worked() || r.prReady()
	if !later && !slices.ContainsFunc(order[:3], there) {
		return nil // a constitution alone is where some begin
	}
	var out []string
	for _, name := range slices.Backward(order) {
		if there(name) {
			later = true
			continue
		}
		if !later {
			continue
		}
		out = append(out, name)
		switch full := path.Join(r.dir, name); {
		case name == "constitution.md" && !r.approved():
			r.lacks(full, r.unapproved())
		case name != "task-graph.json" || !r.partial: // a graph that is missing was told with the tasks
			r.lacks(full, "the step that makes it is due again")
		}
	}
	return out
}

// unapproved says what follows from a constitution that is missing: it is written after the approval, which nothing else tells.
func (r *run) unapproved() string {
	what := "no event tells that the plan was approved"
	if r.worked() {
		what += ", although tasks were worked on"
	}
	return what + ": the approval is due again, and then the step that makes this file"
}

// worked reports whether an event says that a task was worked on.
func (r *run) worked() bool {
	for _, m := range r.ledger.tasks {
		if m.by != nil && m.state != checkpoint.Pending {
			return true
		}
	}
	return false
}

// lacks tells that a document is missing and what follows from it; what was already told of the file is not told twice.
func (r *run) lacks(full, what string) {
	for i := range r.doubts {
		if d := &r.doubts[i]; d.Path == full && d.Severity >= conflicts.Warning {
			d.Text += "; " + what
			return
		}
	}
	r.doubt(sources.DoubtMissing, conflicts.Warning, full, "is missing; %s", what)
}

// gate is a place that only a person passes.
func (r *run) gate(phase, name string) stage {
	doc := "plan.md"
	switch {
	case name == gateBootstrap:
		doc = "bootstrap-plan.md"
	case !r.docs[doc]:
		doc = "prd.md"
	}
	text := fmt.Sprintf("is %s approved? (%s)", path.Join(r.dir, doc), sources.Count(len(r.tasks), "task", "tasks"))
	return stage{phase: phase, state: sources.Waiting, action: "wait for the " + name,
		point:     sources.Point{Task: "approval", Title: name, Reason: "only a person passes this gate"},
		questions: []sources.Question{{Task: "approval", Text: text}}}
}

// approvalAsked: before anything is executed the system asked for an approval, and no later event tells that it was given.
func (r *run) approvalAsked() bool {
	var asked, given time.Time
	for kind, e := range r.ledger.kinds {
		switch {
		case strings.Contains(kind, "approved"), strings.Contains(kind, "approval-g"), strings.Contains(kind, "approval-received"), strings.Contains(kind, "rejected"):
			if e.at.After(given) {
				given = e.at
			}
		case kind == "approval-requested", strings.HasSuffix(kind, "-approval-requested"), kind == "awaiting-approval", kind == "approval-pending":
			if e.at.After(asked) {
				asked = e.at
			}
		}
	}
	return !r.worked() && asked.After(given) && !slices.ContainsFunc(r.ledger.gates, func(e *event) bool { return e.at.After(asked) })
}

// approved reports whether a person passed the gate before the execution.
// The constitution is written only after that.
func (r *run) approved() bool {
	if r.docs["constitution.md"] || r.flow.development || r.flow.state == "phase_3_dev_approved" {
		return true
	}
	if r.flow.kind == "bootstrap-only" && r.flow.bootstrap || r.flow.state == "bootstrap_b5_approved" && r.flow.approval == "approve_bootstrap" {
		return true
	}
	return slices.ContainsFunc(r.ledger.gates, func(e *event) bool { return r.opens(e) })
}

// opens reports whether an event is a person's word that the execution may begin.
func (r *run) opens(e *event) bool {
	switch e.kind {
	case "artifact-approved":
		what := e.details.Get("artifact_type").Text()
		if what == "" { // named by its file
			what, _, _ = strings.Cut(path.Base(e.details.Get("artifact").Text()), ".")
		}
		what = foldKind(what)
		return slices.Contains([]string{"plan", "constitution", "task-graph"}, what) && e.details.Get("approval_type").Text() != "automated"
	case "phase-gate-passed":
		gate := "1"
		if r.flow.later {
			gate = "3"
		}
		return e.details.Get("phase").Text() == gate
	case "development-gate-response":
		return strings.HasPrefix(sources.FoldWord(e.details.Get("response", "decision", "answer").Text()), "approv")
	}
	return false
}

// allDone reports whether every task is known, and none is left.
func (r *run) allDone() bool { return !r.graphless() && !slices.ContainsFunc(r.tasks, unfinished) }

// graphless: no task is left that is known, and there may be more.
func (r *run) graphless() bool {
	return len(r.tasks) == 0 || r.partial && !slices.ContainsFunc(r.tasks, unfinished)
}

// tooOften is when the system itself gives a task up and asks.
const tooOften = 3

func (r *run) usedUp(id string) bool {
	m := r.ledger.tasks[id]
	return m != nil && m.failures >= tooOften
}

// execution finds the task to go on with: one that was begun, else the first that can be worked on.
func (r *run) execution(phase string) stage {
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

// next prefers what was begun; a task that failed too often is left to a person.
func (r *run) next() *sources.Task {
	var first *sources.Task
	ready := map[string]bool{}
	for _, id := range r.runnable {
		ready[id] = true
	}
	for i := range r.tasks {
		t := &r.tasks[i]
		if !ready[t.ID] || r.usedUp(t.ID) {
			continue
		}
		if t.State == checkpoint.Active {
			return t
		}
		if first == nil {
			first = t
		}
	}
	return first
}

func (r *run) reason(t *sources.Task) string {
	switch {
	case foldKind(t.Raw) == "task-implemented":
		return "it is implemented and awaits verification"
	case t.State == checkpoint.Active && strings.HasPrefix(t.Evidence, "events/"+ownActor+"/"):
		return "a person let it be worked on again"
	case t.State == checkpoint.Active:
		return "it was started and not finished"
	case t.State == checkpoint.Failed:
		return "it failed" + r.fault(t.ID) + ", and what it needs is done"
	}
	return "it is the first one whose needs are done"
}

// stuck says why nothing can be worked on.
func (r *run) stuck(st stage) stage {
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

// unmet are the needs of a task that are not done, and lost is one of them that is not there at all.
func (r *run) unmet(t sources.Task) (all []string, lost string) {
	for _, need := range t.Needs {
		i := slices.IndexFunc(r.tasks, func(other sources.Task) bool { return other.ID == need })
		if i >= 0 && !unfinished(r.tasks[i]) {
			continue
		}
		if all = append(all, need); i < 0 && lost == "" {
			lost = need
		}
	}
	return all, lost
}

const escalation = "escalation/"

func named(t *sources.Task) string {
	if t.Title == "" {
		return t.ID
	}
	return t.ID + " - " + t.Title
}

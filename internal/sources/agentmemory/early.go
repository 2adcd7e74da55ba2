package agentmemory

import (
	"path"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// earlyReader handles runs of the first version of Agent Memory, which recorded no phase. The phase follows from which documents exist.
type earlyReader struct{ executionReader }

// stage determines the phase and the next step from documents and events.
func (r earlyReader) stage() stage {
	lost := r.lostDocuments()
	due := func(phase, task, action, file string) stage {
		st := stage{phase: phase, state: sources.Interrupted, action: action, point: sources.Point{Task: task, Title: action, Reason: file + " does not exist yet"}}
		unreadable := func(d sources.Doubt) bool { return d.Code == sources.DoubtDamaged && d.Path == path.Join(r.dir, file) }
		switch damaged := slices.ContainsFunc(r.doubts, unreadable); {
		case file == r.graph.from:
			st.point.Reason = file + " names no tasks"
		case damaged && slices.Contains(documents, file): // the only damage of such a document that is noticed
			st.point.Reason = file + " is empty"
		case damaged:
			st.point.Reason = file + " cannot be read"
		case slices.Contains(lost, file):
			st.point.Reason = file + " is missing"
		}
		if slices.Contains(lost, file) {
			// the text is "write plan.md again", because "continue the plan" would sound like executing the plan
			if st.stood = r.begun(); st.stood != "" && task != "task-graph" {
				st.action = "write " + file + " again"
				st.point.Title = st.action
			}
			if st.point.Reason == file+" is missing" && !r.partial { // without a graph, there is a warning already
				st.missing = []sources.File{{Path: path.Join(r.dir, file), For: task, Missing: true, Made: true}}
			}
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
	case !r.docs["plan.md"] && r.rejected("prd") != nil:
		return refused("0", "prd", "continue the PRD", refusal(r.rejected("prd"), "prd.md"))
	case r.approvalAsked():
		return r.gate(map[bool]string{true: "1", false: "0"}[r.docs["plan.md"]], "requested approval")
	case !r.docs["plan.md"]:
		return due("1", "plan", "continue the plan", "plan.md")
	case r.refused() != nil && r.rejected(planned...) != nil:
		return refused("1", "plan", "continue the plan", refusal(r.rejected(planned...), "plan.md"))
	case r.graphless(), r.partial && r.worked(): // without the graph it is not known which tasks are left, even if one was started
		st := due("1", "task-graph", "break the plan into tasks", "task-graph.json")
		st.questions = r.questions() // of the tasks that are known
		return st
	case !r.approved() && r.rejected(planned...) != nil:
		return refused("1", "plan", "continue the plan", refusal(r.rejected(planned...), "plan.md"))
	case !r.approved():
		return r.gate("1", "plan approval")
	case !r.docs["constitution.md"]:
		return due("1", "constitution", "write the constitution of the approved plan", "constitution.md")
	case !r.allDone():
		r.calledOver()
		r.onlyConstitution()
		return r.execution("2")
	case !r.prReady():
		task, action := "cleanup", "run cleanup and PR preparation again"
		if r.ledger.has("cleanup-completed", "cleanup-complete") {
			task, action = "pr-prep", "run PR preparation again"
		}
		return stage{phase: "3", state: sources.Interrupted, action: action, point: sources.Point{Task: task, Title: action, Reason: "all tasks are done, but nothing shows that the pull request is ready"}}
	case !r.consolidated():
		return stage{phase: "4", state: sources.Interrupted, action: "run memory consolidation",
			point: sources.Point{Task: "consolidation", Title: "run memory consolidation", Reason: "the pull request is ready, but the memory was not consolidated yet"}}
	}
	return stage{phase: "4", state: sources.Complete, action: "nothing: memory consolidation is done"}
}

// refused returns the stage in which a rejected document is worked on.
func refused(phase, task, action, why string) stage {
	return stage{phase: phase, state: sources.Interrupted, action: action, point: sources.Point{Task: task, Title: action, Reason: why}}
}

// lostDocuments returns the documents that are missing although later documents or work exist. It makes sure that there is a warning
// about each of them.
func (r earlyReader) lostDocuments() []string {
	order := []string{"prd.md", "plan.md", "task-graph.json", "constitution.md"}
	there := func(name string) bool {
		return r.docs[name] || name == "task-graph.json" && len(r.graph.nodes) > 0 && !r.partial
	}
	later := r.worked() || r.prReady()
	var out []string
	for _, name := range slices.Backward(order) {
		if there(name) {
			later = later || name != "constitution.md" // the constitution alone does not prove later work, because some runs start with it
			continue
		}
		if !later {
			continue
		}
		out = append(out, name)
		switch full := path.Join(r.dir, name); {
		case name == "constitution.md" && !r.approved():
			r.lacks(full, r.unapproved())
		// if no graph can be read, the method list() has already added a warning
		case name != "task-graph.json" || !r.partial:
			r.lacks(full, "the step that creates the missing document must be repeated")
		}
	}
	return out
}

// afterExecution is the phase that follows the execution.
const afterExecution = 3

// begun names the phase in which the run stopped, and the task in progress if there is one. It returns "" if the execution had not started.
func (r earlyReader) begun() string {
	for _, t := range r.tasks {
		if t.State == checkpoint.Active {
			return "phase 2, " + t.ID
		}
	}
	open := slices.ContainsFunc(r.tasks, unfinished)
	switch {
	case !r.worked() && (open || !r.prReady()):
		return ""
	case open:
		return "phase 2"
	case r.prReady():
		return "phase 4"
	case r.allDone(), r.ledger.reached >= afterExecution:
		return "phase 3"
	}
	return "phase 2"
}

// unapproved explains what a missing constitution means: perhaps nobody approved the plan, because the system normally writes the
// constitution after the approval.
func (r earlyReader) unapproved() string {
	what := "no event says that the plan was approved"
	if r.worked() {
		what += ", although tasks were worked on"
	}
	return what + ": repeat the approval, then repeat the step that creates this file"
}

// onlyConstitution tells that the approval of the plan is known only from constitution.md, if the events of the run record other approvals.
func (r earlyReader) onlyConstitution() {
	other := false
	for i := range r.ledger.events {
		e := &r.ledger.events[i]
		about := artifact(e)
		if r.opens(e) || approves(e) && (about == "" || slices.Contains(planned, about)) {
			return
		}
		other = other || approves(e) && e.task == ""
	}
	if other && !r.worked() {
		r.doubts.About("no-approval", conflicts.Info, r.dir, "has events that approve other documents, but none that approves the plan; because constitution.md exists, the plan counts as approved")
	}
}

// calledOver warns if an event says that the execution is over although a task is still open.
func (r earlyReader) calledOver() {
	if i := slices.IndexFunc(r.tasks, unfinished); i >= 0 && r.ledger.reached >= afterExecution {
		e := r.ledger.reachedBy
		r.doubts.About(sources.DoubtDiscrepancy, conflicts.Warning, path.Join(r.dir, e.where), "says that phase 2 is over (%s), but %s is not done", e.raw, r.tasks[i].ID)
	}
}

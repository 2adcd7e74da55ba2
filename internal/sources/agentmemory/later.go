package agentmemory

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// workflow is what workflow-state.json says, which only later versions write: a pointer, weaker than what is there.
type workflow struct {
	// later: the run is of a version with bootstrap tasks, whose phases have other numbers.
	later bool
	// state is one of the names below, as far as the file tells it; word the status of that phase.
	state, word string
	kind        string // unified, bootstrap-only or development-only
	paused      bool
	// approval is what a person said at the bootstrap gate; bootstrap and development tell which gates were passed.
	approval               string
	bootstrap, development bool
	tools                  []string
	updated                time.Time
}

// step is one state in which a run of a later version can be found.
type step struct {
	name, phase, action string
}

// steps are those states in order, with what to do in each.
var steps = []step{
	{"phase_0_intake", "0", "continue the PRD"},
	{"phase_1_routing", "1", "decide again whether the project has to be set up first"},
	{"bootstrap_b1_detection", "B1", "look again at what the project needs"},
	{"bootstrap_b2_deps_pending", "B2", "check again whether the tools are installed"},
	{"bootstrap_b3_planning", "B3", "continue the bootstrap plan"},
	{"bootstrap_b4_tasks", "B4", "continue the bootstrap tasks' breakdown"},
	{"bootstrap_b5_approved", "B5", "continue as the bootstrap was approved"},
	{"phase_2_dev_plan", "2", "continue the development plan"},
	{"phase_3_dev_approved", "3", "begin the execution"},
	{"phase_4_bootstrap_complete", "4", "continue with the development tasks"},
	{"phase_4_execution", "4", "execute the next task"},
	{"phase_5_cleanup", "5", "run cleanup and PR preparation again"},
	{"phase_6_consolidation", "6", "run memory consolidation"},
}

func stepOf(name string) (step, bool) {
	for _, s := range steps {
		if s.name == name || strings.TrimPrefix(s.name, "bootstrap_") == name {
			return s, true
		}
	}
	return step{}, false
}

// phaseNames are the keys of the state file, in its own order and numbering, and the states that they stand for.
var phaseNames = []struct{ key, state string }{
	{"phase_0_intake", "phase_0_intake"}, {"phase_1_prd", "phase_0_intake"},
	{"phase_2_bootstrap_detection", "bootstrap_b1_detection"}, {"phase_3_dependency_check", "bootstrap_b2_deps_pending"},
	{"phase_4_bootstrap_planning", "bootstrap_b3_planning"}, {"phase_5_bootstrap_tasks", "bootstrap_b4_tasks"},
	{"phase_6_bootstrap_approval", gateBootstrap}, {"phase_7_development_planning", "phase_2_dev_plan"},
	{"phase_8_development_approval", gateDevelopment}, {"phase_9_execution", "phase_4_execution"},
	{"phase_10_cleanup", "phase_5_cleanup"}, {"phase_11_consolidation", "phase_6_consolidation"},
}

// The two gates that only a person passes.
const (
	gateBootstrap   = "bootstrap approval"
	gateDevelopment = "development approval"
)

var laterID = sources.NewForm(`^[BD]\d+$`)

func (r *run) readWorkflow() workflow {
	w := workflow{later: slices.ContainsFunc(r.graph.nodes, func(n node) bool { return laterID.MatchString(n.id) })}
	full := path.Join(r.dir, "workflow-state.json")
	for _, t := range r.trees {
		data, ok := r.read(t, full)
		if !ok {
			continue
		}
		w.later = true
		v, err := sources.ParseJSON(data)
		if err != nil {
			r.doubt(sources.DoubtDamaged, conflicts.Warning, full, "%s", err)
			continue
		}
		w.parse(v)
		if w.state == "" {
			r.doubt(sources.DoubtUnknownWord, conflicts.Info, full, "names no phase that is known")
		}
		return w
	}
	return w
}

func (w *workflow) parse(v sources.Value) {
	flow, phases, approvals := v.Get("workflow"), v.Get("phases"), v.Get("approvals")
	w.kind = flow.Get("type").Text()
	w.paused = sources.FoldWord(flow.Get("status").Text()) == "paused"
	w.updated, _, _ = sources.ParseTime(v.Get("updated_at").Text())
	w.bootstrap = approvals.Get("bootstrap").Get("approved").True()
	w.development = approvals.Get("development").Get("approved").True()
	w.approval = strings.ReplaceAll(foldKind(approvals.Get("bootstrap").Get("approval_type").Text()), "-", "_")
	if w.approval == "" && v.Get("flags").Get("continue_after_bootstrap").True() {
		w.approval = "approve_and_continue"
	}
	for _, named := range []sources.Value{v.Get("current_state", "resume_state", "state"), flow.Get("state", "current_state"), v.Get("current_phase"), flow.Get("current_phase"), flow.Get("phase_name")} {
		name := strings.ReplaceAll(foldKind(named.Text()), "-", "_")
		if s, ok := stepOf(name); ok && w.state == "" {
			w.state, w.word = s.name, flow.Get("status").Text()
			return
		}
	}
	w.byPhases(phases)
	if n, ok := flow.Get("current_phase").Int(); ok && w.state == "" && len(phases.Fields()) == 0 && n >= 0 && n < len(phaseNames) {
		w.state, w.word = phaseNames[n].state, flow.Get("status").Text()
	}
}

// byPhases takes the first phase that is neither completed nor skipped.
func (w *workflow) byPhases(phases sources.Value) {
	for _, p := range phaseNames {
		v := phases.Get(p.key)
		if !v.IsObject() {
			continue
		}
		status := v.Get("status").Text()
		closed := slices.Contains([]string{"completed", "skipped"}, sources.FoldWord(status))
		switch {
		case p.state == gateBootstrap && closed && w.approval == "":
			w.approval = v.Get("approval_type").Text()
			w.bootstrap = w.bootstrap || sources.FoldWord(status) == "completed"
		case p.state == gateDevelopment && closed:
			w.development = w.development || sources.FoldWord(status) == "completed"
		}
		if w.state == "" && !closed {
			w.state, w.word = p.state, status
		}
		if tools := v.Get("missing_tools").Texts(); len(tools) > 0 {
			w.tools = tools
		}
	}
}

// laterStage finds where a run of a later version stands. What is there and what happened overrule the state file.
func (r *run) laterStage() stage {
	name, why := r.laterName()
	if name == gateBootstrap || name == gateDevelopment {
		return r.gate(map[string]string{gateBootstrap: "B5", gateDevelopment: "3"}[name], name)
	}
	if name == "phase_6_consolidation" && r.consolidated() {
		return stage{phase: "6", state: sources.Complete, action: "nothing: the run is consolidated"}
	}
	s, _ := stepOf(name)
	st := stage{phase: s.phase, state: sources.Interrupted, action: s.action, point: sources.Point{Task: s.name, Title: s.action, Reason: why}}
	switch s.name {
	case "phase_4_execution", "phase_4_bootstrap_complete":
		st = r.execution("4")
		if s.name == "phase_4_bootstrap_complete" && st.point.Task != "" {
			st.point.Reason = "the bootstrap tasks are done; " + st.point.Reason
		}
	case "phase_3_dev_approved":
		if next := r.execution("3"); next.state == sources.Interrupted {
			next.action = "begin phase 4: " + next.action
			st = next
		}
	case "bootstrap_b5_approved":
		st = r.approvedBootstrap(st)
	}
	if st.state == sources.Interrupted && r.flow.state == name {
		r.personNeeded(&st)
	}
	return st
}

// personNeeded lets the status of a phase say that it waits for somebody.
func (r *run) personNeeded(st *stage) {
	switch sources.FoldWord(r.flow.word) {
	case "waitingapproval", "waitinguser":
		st.state = sources.Waiting
		text := "the phase '" + st.point.Title + "' waits for you"
		if len(r.flow.tools) > 0 {
			text = "install what is missing: " + strings.Join(r.flow.tools, ", ")
		}
		st.questions = append(st.questions, sources.Question{Task: st.point.Task, Text: text})
	case "failed":
		st.state = sources.Failed
	}
}

// approvedBootstrap goes on as far as the approval reaches.
func (r *run) approvedBootstrap(st stage) stage {
	switch r.flow.approval {
	case "approve_and_continue":
		st.point.Reason = `"approve and continue" was said: the development is planned next`
		st.action = "plan the development"
	case "approve_bootstrap":
		next := r.execution("4")
		next.phase, next.point.Reason = "B5", `"approve bootstrap" was said: only the bootstrap tasks are executed; `+next.point.Reason
		return next
	default:
		st.state = sources.Waiting
		st.questions = []sources.Question{{Task: st.point.Task, Text: "how was the bootstrap approved: for itself, or with the development that follows?",
			Options: []string{"approve bootstrap", "approve and continue"}}}
	}
	return st
}

// laterName is the state by the state file, corrected by what is there.
func (r *run) laterName() (name, why string) {
	told, real := r.flow.state, r.laterByEvidence()
	order := func(n string) int {
		return slices.IndexFunc(steps, func(s step) bool { return s.name == n })
	}
	executing := order(real) >= order("phase_4_bootstrap_complete")
	begun := slices.ContainsFunc(r.tasks, func(t sources.Task) bool { return t.State != checkpoint.Pending })
	switch {
	case told == "":
		return real, "by the documents and events that are there"
	case told == real, told == "phase_4_execution" && real == "phase_4_bootstrap_complete":
		return real, "workflow-state.json and what is there agree"
	case told == gateDevelopment && r.approved():
		return real, "the approval is there"
	case told == gateBootstrap, told == gateDevelopment:
		return told, ""
	case strings.HasPrefix(told, "phase_4_") && !r.approved():
		return gateDevelopment, ""
	case len(r.tasks) > 0 && executing && (begun || order(told) > order("phase_4_execution")):
		// Tasks decide: while any is open there is no clean-up, and when all are done there is no execution.
		r.doubt(sources.DoubtDiscrepancy, conflicts.Warning, path.Join(r.dir, "workflow-state.json"), "says %s, and the events say %s", told, real)
		return real, "the events overrule workflow-state.json"
	}
	return told, "workflow-state.json says so"
}

// laterByEvidence finds the state without the state file.
func (r *run) laterByEvidence() string {
	bootstrap := r.docs["bootstrap-plan.md"] || slices.ContainsFunc(r.tasks, func(t sources.Task) bool { return t.Phase == "bootstrap" })
	switch {
	case !r.docs["prd.md"]:
		return "phase_0_intake"
	case r.approved():
		return r.executedByEvidence()
	case bootstrap && !r.docs["plan.md"]:
		return r.bootstrapByEvidence()
	case r.docs["plan.md"] && len(r.tasks) > 0:
		return gateDevelopment
	case r.docs["plan.md"]:
		return "phase_2_dev_plan"
	case r.docs["dependency-report.md"]:
		return "bootstrap_b2_deps_pending"
	}
	return "phase_1_routing"
}

func (r *run) executedByEvidence() string {
	switch {
	case r.bootstrapComplete():
		return "phase_4_bootstrap_complete"
	case !r.allDone():
		return "phase_4_execution"
	case r.prReady():
		return "phase_6_consolidation"
	}
	return "phase_5_cleanup"
}

func (r *run) bootstrapByEvidence() string {
	switch {
	case r.flow.bootstrap || r.ledger.has("bootstrap-gate-response"):
		return "bootstrap_b5_approved"
	case len(r.tasks) > 0:
		return gateBootstrap
	}
	return "bootstrap_b4_tasks"
}

// bootstrapComplete: the bootstrap tasks are done, and none of the development tasks has begun.
func (r *run) bootstrapComplete() bool {
	phases := map[string]bool{}
	for _, t := range r.tasks {
		phases[t.Phase] = true
		if t.Phase == "bootstrap" && unfinished(t) || t.Phase == "development" && t.State != checkpoint.Pending {
			return false
		}
	}
	return phases["bootstrap"] && phases["development"]
}

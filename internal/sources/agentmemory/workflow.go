package agentmemory

import (
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// workflow is the content of workflow-state.json, which only later versions write. It is only a hint, because documents and events can
// overrule it.
type workflow struct {
	// later says that the run belongs to a later version of agent-memory, which has bootstrap tasks. The phases of that version have
	// different numbers.
	later bool
	// state is the name of the current step, or "" if the file contains none. word is the status of that step.
	state, word string
	kind        string // "unified", "bootstrap-only" or "development-only"
	paused      bool
	// approval is the user's choice after the bootstrap phase. bootstrap and development are true if these phases were approved.
	approval               string
	bootstrap, development bool
	tools                  []string
}

// steps lists the phases in order, with the action to take in each phase.
var steps = []step{
	{"phase_0_intake", "0", "continue the PRD"},
	{"phase_1_routing", "1", "decide again whether the project has to be set up first"},
	{"bootstrap_b1_detection", "B1", "find out again which tools and setup the project needs"},
	{"bootstrap_b2_deps_pending", "B2", "check again whether the tools are installed"},
	{"bootstrap_b3_planning", "B3", "continue the bootstrap plan"},
	{"bootstrap_b4_tasks", "B4", "continue breaking the bootstrap plan into tasks"},
	{approvedB5, "B5", "continue as the user chose when approving the bootstrap"},
	{"phase_2_dev_plan", "2", "continue the development plan"},
	{"phase_3_dev_approved", "3", "begin the execution"},
	{"phase_4_bootstrap_complete", "4", "continue with the development tasks"},
	{"phase_4_execution", "4", "execute the next task"},
	{"phase_5_cleanup", "5", "run cleanup and PR preparation again"},
	{"phase_6_consolidation", "6", "run memory consolidation"},
}

// step is one phase of a run in the later versions of agent-memory, which have bootstrap tasks.
type step struct {
	name, phase, action string
}

func stepOf(name string) (step, bool) {
	for _, s := range steps {
		if s.name == name || strings.TrimPrefix(s.name, "bootstrap_") == name {
			return s, true
		}
	}
	return step{}, false
}

// phaseNames translates the names that the state file uses for phases. Each becomes a name in the variable "steps", or an approval
// (gateBootstrap or gateDevelopment).
var phaseNames = []struct{ key, state string }{
	{"phase_0_intake", "phase_0_intake"}, {"phase_1_prd", "phase_0_intake"},
	{"phase_2_bootstrap_detection", "bootstrap_b1_detection"}, {"phase_3_dependency_check", "bootstrap_b2_deps_pending"},
	{"phase_4_bootstrap_planning", "bootstrap_b3_planning"}, {"phase_5_bootstrap_tasks", "bootstrap_b4_tasks"},
	{"phase_6_bootstrap_approval", gateBootstrap}, {"phase_7_development_planning", "phase_2_dev_plan"},
	{"phase_8_development_approval", gateDevelopment}, {"phase_9_execution", "phase_4_execution"},
	{"phase_10_cleanup", "phase_5_cleanup"}, {"phase_11_consolidation", "phase_6_consolidation"},
}

// gateBootstrap and gateDevelopment are approvals that only a person may give.
const (
	gateBootstrap   = "bootstrap approval"
	gateDevelopment = "development approval"
)

// isLaterID reports whether the id of a task is a B or a D with a number, as only versions with bootstrap tasks write it.
func isLaterID(id string) bool {
	return len(id) > 1 && (id[0] == 'B' || id[0] == 'D') && strings.Trim(id[1:], "0123456789") == ""
}

func (w *workflow) parse(v textdoc.Value) {
	flow, phases, approvals := v.Get("workflow"), v.Get("phases"), v.Get("approvals")
	w.kind = flow.Get("type").Text()
	w.paused = sources.FoldWord(flow.Get("status").Text()) == "paused"
	w.bootstrap = approvals.Get("bootstrap").Get("approved").True()
	w.development = approvals.Get("development").Get("approved").True()
	w.approval = strings.ReplaceAll(foldKind(approvals.Get("bootstrap").Get("approval_type").Text()), "-", "_")
	if w.approval == "" && v.Get("flags").Get("continue_after_bootstrap").True() {
		w.approval = "approve_and_continue"
	}
	for _, named := range []textdoc.Value{v.Get("current_state", "resume_state", "state"), flow.Get("state", "current_state"), v.Get("current_phase"), flow.Get("current_phase"), flow.Get("phase_name")} {
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

// byPhases sets the state to the first phase that is neither completed nor skipped. It also records approvals and missing tools.
func (w *workflow) byPhases(phases textdoc.Value) {
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

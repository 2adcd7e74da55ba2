package agentmemory

import (
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// laterReader handles runs of the later version, which has bootstrap tasks.
type laterReader struct{ executionReader }

// stage determines the stage of the run. Documents and events can overrule the state file.
func (r laterReader) stage() stage {
	name, why := r.laterName()
	if name == gateBootstrap || name == gateDevelopment {
		return r.gate(map[string]string{gateBootstrap: "B5", gateDevelopment: "3"}[name], name)
	}
	if name == "phase_6_consolidation" && r.consolidated() {
		return stage{phase: "6", state: sources.Complete, action: "nothing: memory consolidation is done"}
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
	case approvedB5:
		st = r.approvedBootstrap(st)
	}
	if st.state == sources.Interrupted && r.flow.state == name {
		r.personNeeded(&st)
	}
	return st
}

// personNeeded sets the state to waiting or failed, if the status in the state file says so.
func (r laterReader) personNeeded(st *stage) {
	switch sources.FoldWord(r.flow.word) {
	case "waitingapproval", "waitinguser":
		st.state = sources.Waiting
		text := "the phase '" + st.point.Title + "' waits for you"
		detecting := st.point.Task == "bootstrap_b1_detection" || st.point.Task == "bootstrap_b2_deps_pending"
		if len(r.flow.tools) > 0 && detecting { // in a later phase, they were installed
			text = "install the missing tools: " + strings.Join(r.flow.tools, ", ")
		}
		st.questions = append(st.questions, sources.Question{Task: st.point.Task, Text: text})
	case "failed":
		st.state = sources.Failed
	}
}

// bootstrapOptions are the answers that the system knows to the question whether the bootstrap is approved.
var bootstrapOptions = []string{"approve bootstrap", "approve and continue"}

// approvedBootstrap returns the next step after the approval of the bootstrap phase. If the kind of approval is not known, the user is
// asked.
func (r laterReader) approvedBootstrap(st stage) stage {
	how := r.flow.approval
	switch response(r.ledger.kinds[bootstrapAnswer]) {
	case "approvebootstrap":
		how = "approve_bootstrap"
	case "approveandcontinue":
		how = "approve_and_continue"
	}
	switch how {
	case "approve_and_continue":
		st.point.Reason = `the user said "approve and continue": the next step is to plan the development`
		st.action = "plan the development"
	case "approve_bootstrap":
		next := r.execution("4")
		next.phase, next.point.Reason = "B5", `the user said "approve bootstrap": only the bootstrap tasks are executed; `+next.point.Reason
		return next
	default:
		st.state = sources.Waiting
		st.questions = []sources.Question{{Task: st.point.Task, Text: "was only the bootstrap approved, or also the development that follows?",
			Options: bootstrapOptions}}
	}
	return st
}

// laterName returns the name of the current phase and the reason for it. Documents and events can correct the phase in the state file.
func (r laterReader) laterName() (name, why string) {
	told, real := r.flow.state, r.laterByEvidence()
	order := func(n string) int {
		return slices.IndexFunc(steps, func(s step) bool { return s.name == n })
	}
	executing := order(real) >= order("phase_4_bootstrap_complete")
	begun := slices.ContainsFunc(r.tasks, func(t sources.Task) bool { return t.State != checkpoint.Pending })
	switch {
	case told == "":
		return real, "the existing documents and events show that this phase is next"
	case told == real, told == "phase_4_execution" && real == "phase_4_bootstrap_complete":
		return real, "workflow-state.json agrees with the existing documents and events"
	case told == gateDevelopment && r.approved():
		return real, "a person has already approved the start of the execution"
	case told == gateBootstrap && r.bootstrapApproved():
		return real, "a person has already approved the bootstrap"
	case told == gateBootstrap, told == gateDevelopment:
		return told, ""
	case strings.HasPrefix(told, "phase_4_") && !r.approved():
		return gateDevelopment, ""
	case len(r.tasks) > 0 && executing && (begun || order(told) > order("phase_4_execution")):
		// Believe the events of the tasks: clean-up cannot start while a task is open, and execution is over when all tasks are done.
		r.doubts.About(sources.DoubtDiscrepancy, conflicts.Warning, path.Join(r.dir, "workflow-state.json"), "says %s, but the events say %s", told, real)
		return real, "the events overrule workflow-state.json"
	}
	return told, "workflow-state.json says so"
}

// laterByEvidence determines the phase from documents and events, without the state file.
func (r laterReader) laterByEvidence() string {
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

func (r laterReader) executedByEvidence() string {
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

// approvedB5 is the step after the approval of the bootstrap.
const approvedB5 = "bootstrap_b5_approved"

func (r laterReader) bootstrapApproved() bool {
	return r.flow.bootstrap || strings.HasPrefix(response(r.ledger.kinds[bootstrapAnswer]), "approv")
}

func (r laterReader) bootstrapByEvidence() string {
	switch {
	case r.bootstrapApproved():
		return approvedB5
	case len(r.tasks) > 0:
		return gateBootstrap
	}
	return "bootstrap_b4_tasks"
}

// bootstrapComplete reports whether the run has both bootstrap and development tasks, all bootstrap tasks are finished, and no
// development task has started.
func (r laterReader) bootstrapComplete() bool {
	phases := map[string]bool{}
	for _, t := range r.tasks {
		phases[t.Phase] = true
		if t.Phase == "bootstrap" && unfinished(t) || t.Phase == "development" && t.State != checkpoint.Pending {
			return false
		}
	}
	return phases["bootstrap"] && phases["development"]
}

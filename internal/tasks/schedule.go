package tasks

import (
	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/plan"
)

// Hands lists the tasks that this execution is running now (Working), and those that it has already tried (Tried).
type Hands struct {
	Working, Tried map[checkpoint.TaskID]bool
	// Tools is true if a tool of the user does the tasks that have no command.
	Tools bool
}

// Ready lists the tasks that can start now, in the order of the plan. A task waits until the tasks that it needs are closed. It also waits
// for an earlier task that collides with it and is running, or can still run.
func Ready(p plan.Plan, r *checkpoint.Run, h Hands) []plan.Task {
	var out, before []plan.Task
	coming := map[string]bool{}
	for _, t := range p.Order() {
		state := r.Task(checkpoint.TaskID(t.ID))
		if state == nil || state.State.Closed() || t.Optional && t.Run == "" {
			continue
		}
		if coming[t.ID] = isComing(t, r, h, coming); !coming[t.ID] {
			continue
		}
		kind := kindOf(t, state)
		if !h.Working[state.ID] && (kind == StepRun || kind == StepReport && h.Tools) && dependenciesClosed(t, r) && !collidesWithAny(t, before) {
			out = append(out, t)
		}
		before = append(before, t)
	}
	return out
}

// WorkBeside is for runs whose tasks have worktrees of their own. It reports whether any task of the run can start now. Another task that
// waits for an answer does not prevent this.
func WorkBeside(p plan.Plan, r *checkpoint.Run) bool {
	return len(r.Places) > 0 && len(Ready(p, r, Hands{})) > 0
}

// isComing reports whether an open task is running, or may still run before this execution ends. The map "coming" has the answers for all
// earlier tasks.
func isComing(t plan.Task, r *checkpoint.Run, h Hands, coming map[string]bool) bool {
	id := checkpoint.TaskID(t.ID)
	if h.Working[id] {
		return true
	}
	if h.Tried[id] {
		return false
	}
	for _, need := range t.Needs {
		if n := r.Task(checkpoint.TaskID(need)); !coming[need] && (n == nil || !n.State.Closed()) {
			return false
		}
	}
	return true
}

func collidesWithAny(t plan.Task, others []plan.Task) bool {
	for _, o := range others {
		if Collide(t, o) {
			return true
		}
	}
	return false
}

// Collide reports whether the order of two tasks matters: one may write a file that the other reads or writes.
func Collide(a, b plan.Task) bool {
	return execution.Overlap(a.Outputs, b.Outputs) || execution.Overlap(a.Outputs, b.Inputs) || execution.Overlap(a.Inputs, b.Outputs)
}

// FilesOnly lists the tasks that declare neither inputs nor a check. If such a task runs at the same time as others, only a merge conflict
// can show that their results do not fit together. If the argument "tools" is true, tasks without a command are carried out by a tool of
// the user. FilesOnly then lists such tasks too, but never tasks that only ask a question.
func FilesOnly(p plan.Plan, tools bool) []plan.Task {
	var out []plan.Task
	for _, t := range p.Tasks {
		if (t.Run != "" || tools && t.Ask == "") && len(t.Inputs) == 0 && t.Verify == "" {
			out = append(out, t)
		}
	}
	return out
}

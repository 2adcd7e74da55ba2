package tasks

import (
	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/site"
)

// Tasks finds out which tasks of a plan are done, which are still valid, and which is next.
type Tasks struct {
	*site.Site
	Find *candidate.Finder
}

// StepKind says what comes next in a run.
type StepKind int

// The kinds of steps.
const (
	// StepFinish means that no task is left that must be done.
	StepFinish StepKind = iota
	// StepRun means that a task's command can run.
	StepRun
	// StepAsk means that a person must answer a question first.
	StepAsk
	// StepReport means that the next task has no command. The person or program that works on the run does this task and reports the
	// result. StepReport is also used if no task is known yet.
	StepReport
	// StepConfirm means that a person must allow the task's command first.
	StepConfirm
	// StepStuck means that every remaining task was already tried since the run was continued, or depends on a task that is not done.
	StepStuck
)

// Step is the next step of a run, and the task that it concerns.
type Step struct {
	Kind StepKind
	Task plan.Task
}

// Next finds the next step of a run. The map "tried" has the tasks that were already attempted since the run was continued. Next skips
// them, so that a failing task does not run for ever. It also skips optional tasks without a command.
func Next(p plan.Plan, r *checkpoint.Run, tried map[checkpoint.TaskID]bool) Step {
	stuck := false
	for _, t := range p.Order() {
		state := r.Task(checkpoint.TaskID(t.ID))
		if state == nil || state.State.Closed() || t.Optional && t.Run == "" {
			continue
		}
		if tried[state.ID] || !dependenciesClosed(t, r) {
			stuck = true
			continue
		}
		return Step{kindOf(t, state), t}
	}
	for i := range r.Tasks {
		if s := &r.Tasks[i]; !s.State.Closed() && !s.Optional && !planned(p, s.ID) {
			return Step{StepReport, plan.Task{ID: string(s.ID), Title: s.Title}}
		}
	}
	if stuck {
		return Step{Kind: StepStuck}
	}
	if len(p.Tasks) == 0 && r.Planned == 0 {
		return Step{Kind: StepReport} // a run without a plan gets its tasks from reports, so another task may always follow
	}
	return Step{Kind: StepFinish}
}

// PointToNext sets r.Point to the task of the next step, if neither this task nor the current task was started. The current task can be a
// later one, because a plan may list a task before the tasks that it depends on.
func PointToNext(p plan.Plan, r *checkpoint.Run) {
	next := r.Task(checkpoint.TaskID(Next(p, r, nil).Task.ID))
	if _, now := r.Current(); r.Point == "" && next != nil && next.State == checkpoint.Pending && now.State == checkpoint.Pending {
		r.Point = next.ID
	}
}

func kindOf(t plan.Task, state *checkpoint.Task) StepKind {
	switch {
	case state.State == checkpoint.Blocked, t.Ask != "":
		return StepAsk
	case t.Run == "":
		return StepReport
	default:
		return StepRun
	}
}

func dependenciesClosed(t plan.Task, r *checkpoint.Run) bool {
	for _, id := range t.Needs {
		if n := r.Task(checkpoint.TaskID(id)); n == nil || !n.State.Closed() {
			return false
		}
	}
	return true
}

func planned(p plan.Plan, id checkpoint.TaskID) bool {
	for _, t := range p.Tasks {
		if checkpoint.TaskID(t.ID) == id {
			return true
		}
	}
	return false
}

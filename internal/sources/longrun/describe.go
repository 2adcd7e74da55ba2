package longrun

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/sources"
)

// description converts the diagnosis of a run into a sources.Found.
type description struct{ *diagnosis }

func describe(r *run) sources.Found {
	s := description{diagnose(r)}
	f := sources.Found{
		Source: name, Home: r.Tree.WorkTree, Root: r.Dir, Files: r.Files, Same: []string{"spec:" + path.Dir(r.Dir)},
		Status: r.state.Status, State: s.state(), Active: r.Active, From: r.From, Start: r.commits.start, Rebuilt: r.rebuilt,
		Protocol: s.protocol(), Command: r.command(),
		Cause: s.cause(), Tasks: s.tasks(), Context: s.context(), Steps: s.steps(),
		Doubts: slices.Concat(r.Doubts, s.doubts, compare(s.diagnosis)),
	}
	f.Rebuilt = f.Rebuilt || f.State == sources.Review // in state Review, STATE.md contradicts the summaries, so a person must confirm
	s.where(&f)
	f.Rest = s.rest()
	f.Stands, f.Listed = s.progressTexts()
	s.questions(&f)
	s.needs(&f)
	o := ways{diagnosis: s.diagnosis, f: &f}
	f.Headline, f.Alternatives = o.headline(), o.alternatives()
	o.alive = true
	if told := o.headline(); told != f.Headline {
		f.UnderWay = told
	}
	if s.agent.Live() {
		f.Session = s.agent.ID
	} else if a, ok := r.Agents.Interrupted(); ok && !s.closed(a.Unit) {
		f.Session = a.ID
	}
	return f
}

func (s description) state() sources.State {
	r := s.run
	primary := s.kind()
	switch {
	case r.corrupt, r.state.There && !r.state.OK && r.planned == 0:
		return sources.Corrupt // neither STATE.md nor a plan file shows how much work there is
	case s.waits():
		return sources.Waiting
	case primary == "" && s.allDone() && (r.planned > 0 || r.state.OK):
		return sources.Complete
	case primary == "" && r.state.complete():
		if len(r.units) == 0 {
			return sources.Complete
		}
		return sources.Review // STATE.md says complete, but not all summaries do, so a person must check
	case primary == "" && s.point == nil && s.run.begun():
		return sources.Unknown
	case primary == "" && !s.run.begun():
		return sources.NotStarted
	case s.point != nil && s.states[s.point] == checkpoint.Blocked:
		return sources.Blocked
	case s.point != nil && s.states[s.point] == checkpoint.Failed, sources.MeaningOf(r.state.Status) == sources.MeansFailed:
		return sources.Failed
	case primary != activeAgent && sources.FoldWord(r.state.Status) == "stopped":
		return sources.Paused
	}
	return sources.Interrupted
}

// waits reports whether a person must answer before the run can continue.
func (s description) waits() bool {
	for _, g := range s.signs {
		switch g.kind {
		case activeAgent, partialPlan:
			return s.point != nil && s.states[s.point] == sources.TaskWaiting
		case betweenPlans:
			if !slices.ContainsFunc(s.run.asked, s.concernsOpen) { // a question about a finished plan can be answered at any time
				return s.point != nil && s.states[s.point] == sources.TaskWaiting
			}
		case pendingWord:
			return true
		}
	}
	return s.point != nil && s.states[s.point] == sources.TaskWaiting
}

// concernsOpen reports whether a question is pending and may concern work that is still to be done.
func (s description) concernsOpen(c clarification) bool {
	u := s.run.units.groupOf(c)
	return c.pending() && (u == nil || s.open(u))
}

func (s description) cause() string {
	if s.point != nil {
		if w := wordOf(s.point); w != "" && s.states[s.point] == checkpoint.Failed {
			if s.point.check != nil && s.point.check.fault != "" {
				return w + ": " + s.point.check.fault
			}
			return w
		}
		if s.point.check != nil && sources.FoldWord(s.point.check.status) == "interrupted" {
			return "interrupted"
		}
	}
	switch sources.FoldWord(s.run.state.Status) {
	case "stopped", "interrupted", "failed":
		return cmp.Or(s.run.state.Stopped, strings.ToLower(s.run.state.Status))
	}
	if s.agent.Known && !s.agent.Stale && !s.agent.AtWork() { // an agent that is called at work is no cause of a stop
		return s.agent.Status
	}
	return ""
}

func (s description) protocol() map[string]any {
	if len(s.signs) == 0 {
		return map[string]any{"interrupted": false, "completed_plans": s.run.summed, "total_plans": s.run.planned}
	}
	out := s.signs[0].fields
	out["interrupted"], out["type"] = true, s.signs[0].kind
	var also []any
	for _, g := range s.signs[1:] {
		g.fields["type"] = g.kind
		also = append(also, g.fields)
	}
	if also != nil {
		out["also"] = also
	}
	out["completed_plans"], out["total_plans"] = s.run.summed, s.run.planned
	return out
}

func (s description) tasks() []sources.Task {
	var out []sources.Task
	for _, u := range s.run.units {
		t := sources.Task{ID: u.id, Title: u.shown(), State: s.states[u], Raw: wordOf(u), Needs: u.plan.Needs, Commit: s.run.commits.last(u)}
		switch {
		case u.sum != nil:
			t.Evidence, t.Ended = u.sum.path, u.sum.ended
		case u.check != nil:
			t.Evidence, t.Files = u.check.path+": "+u.check.tasks(), u.check.files
		}
		if s.marked == u && s.agent.Live() && t.State == checkpoint.Pending {
			t.State, t.Raw, t.Evidence, t.Began = checkpoint.Active, s.agent.Status, s.run.Agents.MarkerPath, s.agent.Began
		}
		out = append(out, t)
	}
	return out
}

// The method "where" sets the resume point and the last commit of f.
func (s description) where(f *sources.Found) {
	for i := len(f.Tasks) - 1; i >= 0 && f.Last == ""; i-- {
		f.Last = f.Tasks[i].Commit
	}
	u := s.point
	if f.State == sources.Complete || u == nil {
		switch current := s.run.state.current; {
		case !f.State.Open() || !s.run.state.OK:
		case len(s.run.units) == 0:
			f.Point = sources.Point{Task: current, Title: s.run.state.group, Reason: "no plan file exists yet"}
			if current != "" {
				f.Point.Reason = "STATE.md names this plan, but there are no plan files yet"
			}
		case current != "" && s.run.units.find(current) == nil:
			f.Point = sources.Point{Task: current, Title: s.run.state.group, Reason: "STATE.md names this plan, but there is no such plan"}
		}
		return
	}
	f.Point = sources.Point{Task: u.id, Title: u.shown()}
	c := u.check
	switch {
	case c != nil && c.partial() && c.dark:
		f.Point.Reason = notKnown(u.id)
	case c != nil && c.partial() && c.open:
		f.Point.Reason = fmt.Sprintf("%s of plan %s are done", c.tasks(), u.id)
	case c != nil && c.partial() && c.done == 0:
		f.Point.Reason = fmt.Sprintf("plan %s was started, but none of its %s was finished", u.id, sources.Count(c.total, "task", "tasks"))
	case c != nil && c.partial():
		f.Point.Reason = fmt.Sprintf("%d of %d tasks of plan %s are done; task %d is next", c.done, c.total, u.id, c.done+1)
	case c != nil && u.sum == nil:
		f.Point.Reason = fmt.Sprintf("all tasks of plan %s are done; its summary is missing", u.id)
	case u.sum != nil:
		f.Point.Reason = fmt.Sprintf("the summary of plan %s says %s", u.id, cmp.Or(u.sum.status, "that tasks are open"))
	default:
		f.Point.Reason = s.whyNext(u)
	}
	if step := s.nextStep(u); step != "" {
		f.Point.Title = step
		if c != nil && c.partial() && !c.dark && !c.open {
			f.Point.Title = fmt.Sprintf("task %d of %d, %s", c.done+1, c.total, step)
		}
	}
}

// whyNext explains why a plan without a summary or checkpoint comes next.
func (s description) whyNext(u *unit) string {
	earlier := s.run.units[:slices.Index(s.run.units, u)]
	switch {
	case s.endedWithout(u):
		return s.endedText()
	case u.planned == "" && sources.NaturalOrder(s.run.state.current, u.id) == 0:
		return "STATE.md names this plan, but its plan file is missing"
	case !slices.ContainsFunc(earlier, func(e *unit) bool { return e.sum == nil }):
		return "it is the first plan without a summary"
	case s.atWork(u):
		return fmt.Sprintf("agent %s was spawned for this plan", s.agent.ID)
	case sources.NaturalOrder(s.run.state.current, u.id) == 0:
		return "STATE.md names this plan, and the plan has no summary"
	case len(s.run.units.unmet(u)) == 0:
		return "it is the next plan without a summary that can start"
	}
	return "it is not done, and cannot start yet, because plans that it needs are missing or not done: " + sources.SomeOf(s.run.units.unmet(u))
}

// progressTexts returns texts such as "plan 2 of 5" and "plan 02" for the next plan, or two empty texts if there is none. If the plan is
// partly finished and the number of its tasks is known, both also contain the number of the next task.
func (s description) progressTexts() (stands, listed string) {
	if s.point == nil {
		return "", ""
	}
	task := ""
	if c := s.point.check; c.partial() && !c.open {
		task = fmt.Sprintf(", task %d of %d", c.done+1, c.total)
	}
	units := s.run.units
	return sources.Nth("plan", s.point.id, slices.Index(units, s.point)+1, len(units)) + task, "plan " + s.point.id + task
}

// steps counts the finished tasks of all plans that are still open.
func (s description) steps() int {
	n := 0
	for _, u := range s.run.units {
		if u.check != nil && s.open(u) {
			n += u.check.done
		}
	}
	return n
}

// nextStep returns the name of the next task in a plan, or an empty name if it is not known.
func (s description) nextStep(u *unit) string {
	if c := u.check; c.partial() && !c.dark {
		return stepName(u, c.done+1)
	}
	return ""
}

// stepName returns the name of a task in a plan with a checkpoint, or an empty name if it is not known. The first task is number 1.
func stepName(u *unit, n int) string {
	switch {
	case n <= len(u.plan.Steps):
		return u.plan.Steps[n-1]
	case n <= len(u.check.names):
		return u.check.names[n-1]
	}
	return ""
}

// These are the maximum numbers of tasks of a plan, and of commits that name it, that are listed.
const (
	mostSteps  = 50
	mostTraces = 10
)

// The method "rest" lists the tasks of the current plan that come after its next task, at most mostSteps of them. It lists none if no
// checkpoint says how many tasks there are.
func (s description) rest() []string {
	if s.point == nil || !s.point.check.partial() || s.point.check.dark || s.point.check.open {
		return nil
	}
	var out []string
	c := s.point.check
	for i := range min(c.total-c.done-1, mostSteps) {
		n := c.done + 2 + i
		out = append(out, strings.TrimSuffix(fmt.Sprintf("task %d of plan %s: %s", n, s.point.id, stepName(s.point, n)), ": "))
	}
	return out
}

func (s description) questions(f *sources.Found) {
	for _, c := range s.run.asked {
		if c.pending() {
			f.Questions = append(f.Questions, sources.Question{Task: c.group, Text: c.question, About: "task group " + c.group})
		}
	}
	for _, u := range s.run.units {
		if s.states[u] != sources.TaskWaiting {
			continue
		}
		q := sources.Question{Task: u.id, Text: "plan " + u.id + " waits for a person: " + wordOf(u)}
		if u.check != nil && u.check.question != "" {
			q.Text, q.Options = u.check.question, u.check.options
		}
		f.Questions = append(f.Questions, q)
	}
}

// needs adds the file of the next plan to f.Needs, and also tasks.md if it exists.
func (s description) needs(f *sources.Found) {
	if s.point == nil || !f.State.Open() {
		return
	}
	plan := s.point.planned
	if plan == "" {
		plan = s.run.Dir + "/plans/" + s.point.id + "-PLAN.md"
	}
	f.Needs = append(f.Needs, sources.File{Path: plan, For: s.point.id, Missing: !s.run.Tree.Has(plan), Critical: true})
	if tasks := path.Dir(s.run.Dir) + "/tasks.md"; s.run.Tree.Has(tasks) {
		f.Needs = append(f.Needs, sources.File{Path: tasks})
	}
}

// context lists what the worker that continues the plan must know: the tasks of the next plan that are already done, and what a person
// answered about plans that are not done. It lists at most mostSteps of each.
func (s description) context() []string {
	if s.point == nil {
		return nil
	}
	out := s.answered()
	if s.point.check == nil {
		return append(out, s.traces()...)
	}
	c := s.point.check
	for n := 1; n <= min(c.done, mostSteps); n++ {
		text := fmt.Sprintf("task %d of plan %s", n, s.point.id)
		if name := stepName(s.point, n); name != "" {
			text += ", '" + name + "',"
		}
		text += " is done"
		switch h := object.ID(c.commits[n]).Short(); {
		case slices.Contains(c.gone, n):
			text += " according to its checkpoint, but commit " + h + " is not in this repository"
		case h != "":
			text += " (" + h + ")"
		}
		out = append(out, text)
	}
	return out
}

// traces lists the commits that name the next plan, if no checkpoint and no summary shows what was done. Such commits exist after the plan
// was restarted, or if its agent ended without writing a summary.
func (s description) traces() []string {
	made := s.traced()
	if len(made) == 0 {
		return nil
	}
	text := fmt.Sprintf("no file says how much of plan %s is done, but %s it", s.point.id, sources.Count(len(made), "commit names", "commits name"))
	if s.run.commits.start == "" {
		text += map[bool]string{true: "; it may belong", false: "; they may belong"}[len(made) == 1] + " to an earlier run"
	}
	out := []string{text}
	for _, m := range made[max(0, len(made)-mostTraces):] {
		out = append(out, fmt.Sprintf("commit %s: %s", m.id.Short(), m.text))
	}
	return out
}

// traced returns the commits that name the next plan, if it has neither a checkpoint nor a summary.
func (s *diagnosis) traced() []planCommit {
	if s.point == nil || s.point.check != nil || s.point.sum != nil {
		return nil
	}
	return s.run.commits.made(s.point)
}

func (s description) answered() []string {
	var out []string
	for _, c := range s.run.asked {
		u := s.run.units.groupOf(c)
		if c.pending() || c.response == "" || sources.FoldWord(c.status) == "skipped" || u != nil && !s.open(u) || len(out) == mostSteps {
			continue
		}
		out = append(out, strings.Join(strings.Fields(fmt.Sprintf("answer to task group %s, %s: %s", c.group, c.question, c.response)), " "))
	}
	return out
}

package longrun

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/sources"
)

// headline tells what the system's own prompt would: the plan, the numbers, the agent and the time.
func (s *standing) headline(f *sources.Found) string {
	kind := ""
	if len(s.signs) > 0 {
		kind = s.signs[0].kind
	}
	switch {
	case f.State == sources.Complete:
		if len(s.run.units) == 0 {
			return "STATE.md says " + s.run.state.status
		}
		return s.counted()
	case kind == activeAgent:
		return s.agentLine()
	case kind == partialPlan:
		c := s.signs[0].unit.check
		return fmt.Sprintf("plan %s was interrupted after task %s; %s", s.signs[0].unit.id, c.count(), commitsOf(c))
	case f.State == sources.Waiting && len(f.Questions) > 0:
		q := f.Questions[0]
		return fmt.Sprintf("paused, waiting for clarification on task group %s: %s", q.Task, strings.Join(strings.Fields(q.Text), " "))
	case kind == betweenPlans && s.unsummed():
		return allDone(s.point.check.total, "task", " of plan "+s.point.id) + "; its summary is missing"
	case kind == betweenPlans && s.point != nil && s.point.sum != nil && s.open(s.point):
		return fmt.Sprintf("plan %s %s; %s", s.point.id, endedAs(wordOf(s.point)), s.counted())
	case kind == betweenPlans && s.beyond():
		return fmt.Sprintf("STATE.md stands at plan %s, which is not there; %s", s.run.state.current, s.counted())
	case kind == betweenPlans && s.lastSummed() == "0":
		return fmt.Sprintf("stopped before plan %v; no plan has a summary yet", s.signs[0].fields["resume_from"])
	case kind == betweenPlans:
		return fmt.Sprintf("stopped before plan %v; the last summary is that of plan %v", s.signs[0].fields["resume_from"], s.signs[0].fields["last_completed"])
	case f.State == sources.Corrupt:
		return "its state cannot be read"
	case f.State == sources.NotStarted:
		return sources.Count(len(s.run.units), "plan is", "plans are") + " ready, none was started"
	}
	return s.counted()
}

// unsummed: the tasks of the next plan are all done, and nothing says how it ended.
func (s *standing) unsummed() bool {
	return s.point != nil && s.point.sum == nil && s.point.check != nil && !s.point.check.lost && !s.point.check.partial()
}

// allDone says that all of a number of things, which may be one, are done; of says of what they are.
func allDone(n int, what, of string) string {
	if n == 1 {
		return "the only " + what + of + " is done"
	}
	return fmt.Sprintf("all %d %ss%s are done", n, what, of)
}

// endedAs says how a plan ended that was not completed, by the word of its summary.
func endedAs(word string) string {
	switch sources.FoldWord(word) {
	case "failed", "error":
		return "failed"
	case "timeout":
		return "timed out"
	case "partial", "":
		return "was finished only in part"
	case sources.UnreadableWord:
		return "has a summary that cannot be read"
	}
	return "ended as '" + word + "'"
}

func (s *standing) agentLine() string {
	if !s.agent.Known {
		return fmt.Sprintf("an interrupted execution, plan unknown; agent %s is marked as working, and no history tells since when", s.run.agents.Marker)
	}
	text := fmt.Sprintf("plan %s was interrupted; agent %s was spawned at %s", first(s.agent.Plan, "?"), s.agent.ID, first(s.agent.Timestamp, "an unknown time"))
	if s.marked != nil && s.marked.check.partial() { // whoever takes it over needs to know what is there
		text += fmt.Sprintf("; %s were finished, %s", s.marked.check.tasks(), commitsOf(s.marked.check))
	}
	return text
}

// commitsOf lists the commits of a checkpoint in the order of its tasks.
func commitsOf(c *progress) string {
	var ids []string
	for n := 1; n <= c.done && len(ids) < 20; n++ {
		if h := c.commits[n]; h != "" && !slices.Contains(ids, h) { // one commit may finish several tasks
			ids = append(ids, h)
		}
	}
	for i, h := range ids {
		ids[i] = object.ID(h).Short()
	}
	switch {
	case c.done == 0:
		return "no task finished"
	case len(ids) == 0:
		return "no commit recorded"
	}
	return "commits made: " + strings.Join(ids, ", ")
}

// alternatives are the options of the system's own prompt, in its order, then what else applies.
func (s *standing) alternatives(f *sources.Found) []sources.Alternative {
	var out []sources.Alternative
	add := func(name, format string, args ...any) {
		if !slices.ContainsFunc(out, func(a sources.Alternative) bool { return a.Name == name }) {
			out = append(out, sources.Alternative{Name: name, Text: fmt.Sprintf(format, args...)})
		}
	}
	kind := ""
	if len(s.signs) > 0 {
		kind = s.signs[0].kind
	}
	switch {
	case f.State == sources.Review && s.point != nil: // its word against a missing summary
		add(sources.Continue, "do plan %s, which has no summary that says completed", s.point.id)
		s.addSkip(add)
	case f.State == sources.Complete, f.State == sources.Review:
	case kind == activeAgent:
		add(sources.ResumeAgent, "resume agent %s, if the tool that spawned it can", s.run.agents.Marker)
		add(sources.Respawn, "spawn an agent %s", s.withCheckpoint())
		s.addSkip(add)
	case s.point != nil && s.states[s.point] == checkpoint.Blocked:
		s.addBlocked(add)
	case s.point != nil && s.states[s.point] == checkpoint.Failed:
		add(sources.RestartUnit, "retry plan %s from its beginning", s.point.id)
		s.addSkip(add)
		add(sources.Continue, "ignore it and continue%s", s.after(" with plan %s"))
	case kind == partialPlan:
		c := s.point.check
		switch {
		case c.partial() && c.open && c.done > 0:
			add(sources.Continue, "resume plan %s after task %d", s.point.id, c.done)
		case c.partial():
			add(sources.Continue, "resume plan %s from task %d", s.point.id, c.done+1)
		default:
			add(sources.Continue, "do plan %s first", s.point.id)
		}
		add(sources.RestartUnit, "restart plan %s from its beginning%s", s.point.id, map[bool]string{true: "; its commits stay"}[c != nil && len(c.commits) > 0])
		s.addSkip(add)
	case f.State == sources.Waiting && len(f.Questions) > 0:
		add(sources.Answer, "answer now")
		add(sources.SkipUnit, "skip task group %s", f.Questions[0].Task)
	case s.point != nil:
		add(sources.Continue, "continue with plan %s%s", s.point.id, map[bool]string{true: ": only its summary is missing"}[s.unsummed()])
		if s.point.sum != nil {
			add(sources.RestartUnit, "restart plan %s from its beginning", s.point.id)
		}
		s.addSkip(add)
	case f.State.Open():
		add(sources.Continue, "continue where STATE.md stands")
	}
	if f.State.Open() && f.State != sources.Review {
		add(sources.StartFresh, "start fresh: move all state to %s", archiveName(folder, "<time>"))
	}
	if f.State == sources.Waiting && kind == betweenPlans && s.point != nil { // its own check takes up the plan and does not ask
		add(sources.Continue, "continue with plan %s without an answer", s.point.id)
	}
	if len(f.Questions) > 0 {
		add(sources.Answer, "answer the question about task group %s", f.Questions[0].Task)
	}
	if text := s.removable(); text != "" {
		add(sources.CleanUp, "remove %s", text)
	}
	for _, t := range s.run.temps {
		if t.good {
			add(sources.Repair, "put %s in the place of the file that it was meant to become", t.path)
		}
	}
	return out
}

// removable names the files that are left over and lead the system's own check astray.
func (s *standing) removable() string {
	var all []string
	switch {
	case s.agent.Stale && s.run.agents.Marker != "":
		all = append(all, "the left-over marker of agent "+s.run.agents.Marker)
	case s.agent.Stale:
		all = append(all, "the empty marker of an agent")
	}
	for _, u := range s.leftOver() {
		all = append(all, "the left-over checkpoint of plan "+u.id)
	}
	return strings.Join(all, ", ")
}

// context is what was done within the plan that comes next, for whoever takes it over.
func (s *standing) context() []string {
	if s.point == nil || s.point.check == nil {
		return nil
	}
	var out []string
	const most = 50
	c := s.point.check
	for n := 1; n <= min(c.done, most); n++ {
		text := fmt.Sprintf("task %d of plan %s is done", n, s.point.id)
		if n <= len(s.point.plan.Steps) {
			text += ": " + s.point.plan.Steps[n-1]
		} else if n <= len(c.names) {
			text += ": " + c.names[n-1]
		}
		if h := c.commits[n]; h != "" {
			text += " (" + object.ID(h).Short() + ")"
		}
		out = append(out, text)
	}
	return out
}

// withCheckpoint says what a new agent would be told.
func (s *standing) withCheckpoint() string {
	if s.point == nil {
		return "with what the checkpoints say"
	}
	if c := s.point.check; c != nil {
		if c.open {
			return fmt.Sprintf("for plan %s with its checkpoint: %s done", s.point.id, sources.Count(c.done, "task", "tasks"))
		}
		return fmt.Sprintf("for plan %s with its checkpoint: %d/%d done", s.point.id, c.done, c.total)
	}
	return fmt.Sprintf("for plan %s; it has no checkpoint", s.point.id)
}

func (s *standing) addSkip(add func(string, string, ...any)) {
	if s.point == nil {
		add(sources.SkipUnit, "skip to the next plan")
		return
	}
	if next := s.blockedBySkip(); next != "" {
		add(sources.SkipUnit, "skip plan %s; plan %s needs it, and will be blocked", s.point.id, next)
		return
	}
	add(sources.SkipUnit, "skip plan %s%s", s.point.id, s.after(" and continue with plan %s"))
}

// addBlocked: a plan whose need was skipped can be skipped too, cleared up, or done all the same.
func (s *standing) addBlocked(add func(string, string, ...any)) {
	for _, id := range s.unmet(s.point) {
		need := s.run.find(id)
		if need == nil || s.states[need] != checkpoint.Skipped {
			continue
		}
		add(sources.SkipUnit, "skip plan %s too", s.point.id)
		if need.sum.is("skipped") && strings.Contains(need.sum.reason, "clarification") {
			add(sources.Answer, "clarify what plan %s needs, and do it first", need.id)
		}
		add(sources.RestartUnit, "do plan %s first after all", need.id)
	}
	add(sources.SkipUnit, "skip plan %s", s.point.id)
	add(sources.Continue, "ignore it and continue with plan %s anyway", s.point.id)
}

// after names the plan that comes next if the resume point is left out; format has one place for it.
func (s *standing) after(format string) string {
	if next := s.without(); next != nil {
		return fmt.Sprintf(format, next.id)
	}
	return ""
}

// without is the plan that comes next if the resume point is left out: the first later one whose other needs are done, else the first.
func (s *standing) without() *unit {
	var first *unit
	for _, u := range s.run.units[slices.Index(s.run.units, s.point)+1:] {
		if !s.open(u) {
			continue
		}
		if len(s.unmet(u)) == 0 {
			return u
		}
		if first == nil {
			first = u
		}
	}
	return first
}

// blockedBySkip is the plan that would be next and cannot begin, because it needs the one that is skipped.
func (s *standing) blockedBySkip() string {
	if next := s.without(); next != nil && slices.ContainsFunc(s.unmet(next), func(id string) bool { return s.run.find(id) == s.point }) {
		return next.id
	}
	return ""
}

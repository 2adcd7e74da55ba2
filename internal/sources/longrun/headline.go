package longrun

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/sources"
)

// headline describes the run in one line, for example which plan was interrupted after which task.
func (s *ways) headline() string {
	kind, f := s.kind(), s.f
	switch {
	case f.State == sources.Complete:
		if len(s.run.units) == 0 {
			return "STATE.md says " + s.run.state.Status
		}
		return s.counted()
	case kind == activeAgent:
		return s.agentLine()
	case kind == partialPlan && s.signs[0].unit.check.dark:
		return fmt.Sprintf("plan %s %s; %s", s.signs[0].unit.id, s.interrupted(), notKnown(s.signs[0].unit.id))
	case kind == partialPlan:
		c := s.signs[0].unit.check
		return fmt.Sprintf("plan %s %s after task %s; %s", s.signs[0].unit.id, s.interrupted(), c.count(), commitsOf(c))
	case f.State == sources.Waiting && len(f.Questions) > 0:
		q := f.Questions[0]
		return fmt.Sprintf("paused, waiting for clarification on %s: %s", cmp.Or(q.About, "plan "+q.Task), strings.Join(strings.Fields(q.Text), " "))
	case kind == betweenPlans && s.unsummed():
		return allDone(s.point.check.total, "task", " of plan "+s.point.id) + "; its summary is missing"
	case kind == betweenPlans && s.endedWithout(s.point):
		return s.endedText()
	case kind == betweenPlans && s.point != nil && s.point.sum != nil && s.open(s.point):
		return fmt.Sprintf("%s; %s", endedAs(s.point.id, wordOf(s.point)), s.counted())
	case kind == betweenPlans && s.beyond():
		return fmt.Sprintf("STATE.md is at plan %s, which does not exist; %s", s.run.state.current, s.counted())
	case kind == betweenPlans && s.run.units.lastSummed() == "0":
		return s.nextPlan() + "; no plan has a summary yet"
	case kind == betweenPlans:
		lastSummed := s.signs[0].fields["last_completed"]
		return fmt.Sprintf("%s; the last plan with a summary is plan %v", s.nextPlan(), lastSummed)
	case f.State == sources.Corrupt:
		return "its state cannot be read"
	case f.State == sources.NotStarted:
		return sources.Count(len(s.run.units), "plan is", "plans are") + " ready, none was started"
	}
	return s.counted()
}

// interrupted returns the words for an interrupted plan. If somebody may still be working on the plan, the words say so.
func (s *ways) interrupted() string {
	if s.alive {
		return "is in progress or was interrupted"
	}
	return "was interrupted"
}

// nextPlan returns a text about the next plan, such as "stopped before plan 03".
func (s *ways) nextPlan() string {
	next := s.signs[0].fields["resume_from"]
	if s.alive {
		return fmt.Sprintf("plan %v is next", next)
	}
	if u := s.point; u != nil && sources.NaturalOrder(fmt.Sprint(next), u.id) == 0 {
		if made := s.traced(); len(made) > 0 {
			return fmt.Sprintf("stopped at plan %v: %s it, but no file says how much of it is done", next, sources.Count(len(made), "commit names", "commits name"))
		}
	}
	return fmt.Sprintf("stopped before plan %v", next)
}

// notKnown returns the text for an unknown number of finished tasks of a plan.
func notKnown(plan string) string {
	return "it is not known how many tasks of plan " + plan + " are done, because its checkpoint cannot be read"
}

// endedAs describes how an incomplete plan ended, according to the status word in its summary.
func endedAs(id, word string) string {
	plan := "plan " + id
	switch sources.FoldWord(word) {
	case "failed", "error":
		return plan + " failed"
	case "timeout":
		return plan + " timed out"
	case "partial", "":
		return plan + " was only partly finished"
	case sources.UnreadableWord:
		return plan + " has a summary that cannot be read"
	}
	return plan + " ended with status '" + word + "'"
}

func (s *ways) agentLine() string {
	if !s.agent.Known {
		return "an unknown plan " + s.interrupted() + fmt.Sprintf("; agent %s is marked as working, but %s", s.run.Agents.Marker, s.run.Agents.WhyUnknown())
	}
	text := "plan " + cmp.Or(s.agent.Plan, "?") + " " + s.interrupted() + fmt.Sprintf("; agent %s was spawned at %s", s.agent.ID, cmp.Or(s.agent.Timestamp, "an unknown time"))
	if status := s.agent.Status; status != "" && !s.agent.Open() { // an open agent is called interrupted already
		text += "; its status is '" + status + "'"
	}
	if s.marked != nil && s.marked.check.partial() && s.marked.check.dark {
		return text + "; " + notKnown(s.marked.id)
	}
	// Say which tasks are finished, because the next worker needs to know.
	if s.marked != nil && s.marked.check.partial() {
		text += fmt.Sprintf("; %s were finished, %s", s.marked.check.tasks(), commitsOf(s.marked.check))
	}
	return text
}

// commitsOf returns a text that lists the first 20 commits of a checkpoint in the order of the tasks, or says that there are none.
func commitsOf(c *progress) string {
	var ids []string
	for n := 1; n <= c.done && len(ids) < 20; n++ {
		if h := c.commits[n]; h != "" && !slices.Contains(ids, h) { // a commit may finish several tasks, but is listed once
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

package longrun

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/sources"
)

// ways builds the list of actions that are offered for a run.
type ways struct {
	*diagnosis
	f   *sources.Found
	out []sources.Alternative
	// alive means that somebody may still be working on the run, so the texts must not claim an interruption.
	alive bool
}

// add offers an alternative, unless it is already offered.
func (s *ways) add(name, format string, args ...any) {
	if !slices.ContainsFunc(s.out, func(a sources.Alternative) bool { return a.Name == name }) {
		s.out = append(s.out, sources.Alternative{Name: name, Text: fmt.Sprintf(format, args...)})
	}
}

// alternatives lists the options of long-run's own prompt in the same order. Other useful actions follow.
func (s *ways) alternatives() []sources.Alternative {
	kind, f := s.kind(), s.f
	switch {
	case f.State == sources.Review && s.point != nil: // STATE.md says complete, but not all summaries do
		s.add(sources.Continue, "do plan %s; no summary says that it is completed", s.point.id)
		s.addSkip()
	case f.State == sources.Complete, f.State == sources.Review:
	case kind == activeAgent:
		s.add(sources.ResumeAgent, "resume agent %s yourself, if its own tool can do that", s.run.Agents.Marker)
		s.add(sources.Respawn, "let a new agent continue %s", s.withCheckpoint())
		s.addSkip()
	case s.point != nil && s.states[s.point] == checkpoint.Blocked:
		s.addBlocked()
	case s.point != nil && s.states[s.point] == checkpoint.Failed:
		s.add(sources.RestartUnit, "retry plan %s from its beginning", s.point.id)
		s.addSkip()
		s.add(sources.Continue, "ignore the failure and continue with plan %s", s.point.id)
	case kind == partialPlan:
		c := s.point.check
		switch {
		case c.partial() && c.dark:
			s.add(sources.Continue, "continue plan %s; first check in the commits what is done", s.point.id)
		case c.partial() && c.open && c.done > 0:
			s.add(sources.Continue, "resume plan %s after its last finished task, task %d", s.point.id, c.done)
		case c.partial():
			s.add(sources.Continue, "resume plan %s from task %d", s.point.id, c.done+1)
		default:
			s.add(sources.Continue, "do plan %s first", s.point.id)
		}
		s.add(sources.RestartUnit, "restart plan %s from its beginning%s", s.point.id, map[bool]string{true: "; its commits stay"}[c != nil && len(c.commits) > 0])
		s.addSkip()
	case f.State == sources.Waiting && s.asks():
		s.add(sources.Answer, "answer now")
		s.add(sources.SkipUnit, "skip task group %s", f.Questions[0].Task)
	case s.point != nil:
		s.add(sources.Continue, "continue with plan %s%s", s.point.id, map[bool]string{true: ": only its summary is missing"}[s.unsummed()])
		if s.point.sum != nil {
			s.add(sources.RestartUnit, "restart plan %s from its beginning", s.point.id)
		}
		s.addSkip()
	case f.State.Open():
		s.add(sources.Continue, "continue where STATE.md stands")
	}
	if f.State.Open() && f.State != sources.Review {
		s.add(sources.StartFresh, "start fresh: move all state to %s", sources.ArchiveName(folder, "<time>"))
	}
	// Long-run's own resume command would not wait for an answer in this case. So offer to continue without one.
	if f.State == sources.Waiting && kind == betweenPlans && s.point != nil {
		s.add(sources.Continue, "continue with plan %s without an answer", s.point.id)
	}
	if s.asks() {
		s.add(sources.Answer, "answer the question about task group %s", f.Questions[0].Task)
	}
	if text := s.removable(); text != "" {
		s.add(sources.CleanUp, "remove %s", text)
	}
	for _, t := range s.run.temps {
		if t.good {
			s.add(sources.Repair, "rename %s to the name of the file that it was meant to replace", t.path)
		}
	}
	return s.out
}

// asks reports whether clarifications.md has a pending question. Only such a question can be answered here: long-run has no file for an
// answer to the question of a checkpoint.
func (s *ways) asks() bool { return slices.ContainsFunc(s.run.asked, clarification.pending) }

// removable lists the left-over files that would mislead long-run's own resume command.
func (s *ways) removable() string {
	var all []string
	switch {
	case s.agent.Stale && s.run.Agents.Marker != "":
		all = append(all, "the left-over marker of agent "+s.run.Agents.Marker)
	case s.agent.Stale:
		all = append(all, "the empty marker of an agent")
	}
	for _, u := range s.leftOver() {
		all = append(all, "the left-over checkpoint of plan "+u.id)
	}
	return strings.Join(all, ", ")
}

// withCheckpoint describes which plan a new agent would continue, and how many of its tasks the checkpoint records as done.
func (s *ways) withCheckpoint() string {
	if s.point == nil {
		return "from the checkpoints"
	}
	if c := s.point.check; c != nil {
		if c.dark {
			return fmt.Sprintf("plan %s; its checkpoint cannot be read", s.point.id)
		}
		if c.open {
			return fmt.Sprintf("plan %s (checkpoint: %s done)", s.point.id, sources.Count(c.done, "task", "tasks"))
		}
		return fmt.Sprintf("plan %s (checkpoint: %d/%d tasks done)", s.point.id, c.done, c.total)
	}
	return fmt.Sprintf("plan %s, for which no checkpoint was saved", s.point.id)
}

func (s *ways) addSkip() {
	if s.point == nil {
		return
	}
	if next := s.blockedBySkip(); next != "" {
		s.add(sources.SkipUnit, "skip plan %s; plan %s needs it, and will be blocked", s.point.id, next)
		return
	}
	s.add(sources.SkipUnit, "skip plan %s%s", s.point.id, s.after(" and continue with plan %s"))
}

// addBlocked offers to skip a blocked plan or to continue it anyway. If it depends on a skipped plan, the user can also choose to do that
// plan first.
func (s *ways) addBlocked() {
	for _, id := range s.run.units.unmet(s.point) {
		need := s.run.units.find(id)
		if need == nil || s.states[need] != checkpoint.Skipped {
			continue
		}
		s.add(sources.SkipUnit, "skip plan %s too", s.point.id)
		if need.sum.is("skipped") && strings.Contains(need.sum.reason, "clarification") {
			s.add(sources.Answer, "clarify plan %s, and do it before plan %s", need.id, s.point.id)
		}
		s.add(sources.RestartUnit, "do plan %s first after all", need.id)
	}
	s.add(sources.SkipUnit, "skip plan %s", s.point.id)
	s.add(sources.Continue, "ignore the block and continue with plan %s anyway", s.point.id)
}

// The method after() returns a text with the id of the plan that comes next if the user skips the current plan. It returns "" if no other
// plan is open.
func (s *ways) after(format string) string {
	if next := s.without(s.point); next != nil {
		return fmt.Sprintf(format, next.id)
	}
	return ""
}

// blockedBySkip returns the id of the next plan if it depends on the current plan, so that skipping the current plan would block the next
// one. Otherwise it returns "".
func (s *ways) blockedBySkip() string {
	if next := s.without(s.point); next != nil && slices.ContainsFunc(s.run.units.unmet(next), func(id string) bool { return s.run.units.find(id) == s.point }) {
		return next.id
	}
	return ""
}

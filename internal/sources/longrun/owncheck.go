package longrun

import (
	"fmt"
	"path"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// ownCheck is what the system's own detection comes to: the marker, then the checkpoints, then STATE.md, then questions.
// It looks into no summary. An empty kind means that it finds no interruption.
func (r *run) ownCheck() (kind string, u *unit) {
	if r.agents.Marked {
		e, _ := r.agents.Find(r.agents.Marker)
		return activeAgent, r.units.find(e.Unit)
	}
	for _, u := range r.units {
		if u.check.partial() && !u.check.open && path.Base(path.Dir(u.check.path)) == "plans" {
			return partialPlan, u
		}
	}
	if current := r.state.current; !r.state.complete() && sources.NaturalOrder(current, r.units.lastSummed()) > 0 {
		return betweenPlans, r.units.find(current)
	}
	for _, c := range r.asked {
		if c.pending() {
			return pendingWord, r.units.groupOf(c)
		}
	}
	if r.unclear {
		return pendingWord, nil // it may find a question there
	}
	return "", nil
}

// tellOwnCheck says where the system's own check would not come to the plan that is next by the records:
// whoever continues in that system has to know. What a left-over file does is told with that file.
func (s *comparison) tellOwnCheck() {
	if s.point == nil || !s.run.state.ok || s.agent.Stale || !s.run.begun() || s.run.state.complete() {
		return
	}
	kind, u := s.run.ownCheck()
	switch {
	case kind == "":
		s.told.Add(sources.DoubtOwnCheck, conflicts.Warning, s.run.state.path, "%s; long-run's own check would find no interruption: tell it to do plan %s", s.whyNone(), s.point.id)
	case u != nil && u != s.point && s.open(u):
		s.told.Add(sources.DoubtOwnCheck, conflicts.Warning, s.run.state.path, "plan %s is next; long-run's own check would take up plan %s%s: tell it to do plan %s first",
			s.point.id, u.id, map[string]string{activeAgent: ", by the marker of its agent", partialPlan: ", by its checkpoint"}[kind], s.point.id)
	}
}

// whyNone says what lets the system's own check find nothing.
func (s *comparison) whyNone() string {
	at := s.run.state.current
	if at == "" {
		return "STATE.md names no plan"
	}
	return fmt.Sprintf("STATE.md stands at plan %s, and plan %s has a summary", at, s.run.units.lastSummed())
}

// ownFindsNone is said where the pointer lags so far behind that the system would find nothing.
func (s *comparison) ownFindsNone() string {
	if kind, _ := s.run.ownCheck(); kind != "" {
		return ""
	}
	return "; long-run's own check would find no interruption"
}

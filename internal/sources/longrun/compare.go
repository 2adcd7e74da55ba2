package longrun

import (
	"cmp"
	"fmt"
	"path"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// comparison collects warnings about contradictions between STATE.md and the summaries and checkpoints.
type comparison struct {
	*diagnosis
	told sources.Doubts
}

// compare returns warnings about plans that were skipped or left incomplete, and about contradictions between STATE.md and the summaries
// and checkpoints.
func compare(s *diagnosis) sources.Doubts {
	c := &comparison{diagnosis: s}
	for _, u := range s.run.units {
		c.compareUnit(u)
	}
	c.tellEarlier()
	c.tellLeftOver()
	c.tellSkippedGroups()
	c.compareState()
	return c.told
}

func (s *comparison) compareUnit(u *unit) {
	if s.run.passedOver(u) {
		s.told.Add(sources.DoubtSkippedOver, conflicts.Info, u.planned, "plan %s has no summary, but later plans are done: it was skipped", u.id)
	}
	if u.check != nil && !u.check.partial() && u.check.done > 0 && u.sum == nil {
		s.told.Add(sources.DoubtNotMarked, conflicts.Info, u.check.path, "%s, but it has no summary", allDone(u.check.total, "task", " of plan "+u.id))
	}
}

func (s *comparison) compareState() {
	st := s.run.state
	switch {
	case !st.OK:
	case st.complete() && !s.allDone() && len(s.run.units) > 0:
		s.told.Add(sources.DoubtStatusWord, conflicts.Warning, st.Path, "STATE.md says %s, but %s", st.Status, s.counted())
	case s.beyond():
		s.told.Add(sources.DoubtDiscrepancy, conflicts.Warning, st.Path, "STATE.md is at plan %s, but there is no such plan, so plan %s is next", st.current, s.point.id)
		return
	case st.current != "" && s.point != nil && sources.NaturalOrder(st.current, s.point.id) < 0:
		last := s.run.units.lastSummed()
		why := "plan " + last + " already has a summary"
		if sources.NaturalOrder(last, st.current) < 0 {
			why = "a later plan was started"
			if s.atWork(s.point) && s.point.check == nil {
				why = "agent " + s.agent.ID + " was spawned for a later plan"
			}
			if u := s.run.units.find(st.current); u != nil && s.open(u) && len(s.run.units.unmet(u)) > 0 && s.point.check == nil && s.marked != s.point {
				why = "this plan needs another one first"
			}
		}
		s.told.Add(sources.DoubtDiscrepancy, conflicts.Warning, st.Path, "STATE.md is at plan %s, but %s, so plan %s is next%s", st.current, why, s.point.id, s.ownFindsNone())
		return
	case !st.complete() && s.allDone():
		s.told.Add(sources.DoubtDiscrepancy, conflicts.Warning, st.Path, "STATE.md says %s, but %s", cmp.Or(st.Status, "nothing"), s.counted())
	}
	s.tellOwnCheck()
}

// tellEarlier warns about earlier plans without a summary or checkpoint, if STATE.md already names a later plan.
func (s *comparison) tellEarlier() {
	for _, u := range s.run.units {
		if u == s.point {
			return
		}
		if s.point != nil && s.states[u] == checkpoint.Pending && !s.run.passedOver(u) && sources.NaturalOrder(s.run.state.current, u.id) > 0 {
			s.told.Add(sources.DoubtSkippedOver, conflicts.Warning, u.planned, "plan %s has no summary, but STATE.md is already at the later plan %s", u.id, s.run.state.current)
		}
	}
}

func (s *comparison) tellLeftOver() {
	for _, u := range s.leftOver() {
		s.told.Add(sources.DoubtDiscrepancy, conflicts.Warning, u.check.path,
			"plan %s is %s according to its summary, but its checkpoint is only at task %d of %d: remove this checkpoint with 'git resume --choose clean-up', because long-run's own resume command would continue plan %s",
			u.id, s.states[u], u.check.done, u.check.total, u.id)
	}
}

// tellSkippedGroups says which task groups were skipped, if the plan to which they belong is not known or not done.
func (s *comparison) tellSkippedGroups() {
	for _, c := range s.run.asked {
		u := s.run.units.groupOf(c)
		if s.point == nil || sources.FoldWord(c.status) != "skipped" || u != nil && !s.open(u) {
			continue
		}
		of := ""
		if u != nil {
			of = " of plan " + u.id
		}
		s.told.Add("group-skipped", conflicts.Info, s.run.clarificationFile(), "task group %s%s was skipped because its question was not answered; leave this task group out", c.group, of)
	}
}

// ownCheck returns the interruption that long-run's own resume command would find. That command looks at the marker file, the checkpoints,
// STATE.md and the questions, in this order. An empty kind means that it finds none.
func (r *run) ownCheck() (kind string, u *unit) {
	if r.Agents.Marked {
		e, _ := r.Agents.Find(r.Agents.Marker)
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
		return pendingWord, nil // long-run may find a question in text of clarifications.md that we cannot read
	}
	return "", nil
}

// tellOwnCheck warns if long-run's own resume command would find no interruption, or would continue with a different plan than
// git-resume. It adds no warning if a left-over file is the reason, because another warning reports the file.
func (s *comparison) tellOwnCheck() {
	if s.point == nil || !s.run.state.OK || s.agent.Stale || !s.run.begun() || s.run.state.complete() {
		return
	}
	kind, u := s.run.ownCheck()
	switch {
	case kind == "":
		s.told.Add(sources.DoubtOwnCheck, conflicts.Warning, s.run.state.Path, "%s, so long-run's own check would find no interruption: tell long-run to do plan %s", s.whyNone(), s.point.id)
	case u != nil && u != s.point && s.open(u):
		s.told.Add(sources.DoubtOwnCheck, conflicts.Warning, s.run.state.Path, "plan %s is next; long-run's own check would continue with plan %s%s: tell long-run to do plan %s first",
			s.point.id, u.id, map[string]string{activeAgent: ", because of the marker of its agent", partialPlan: ", because of its checkpoint"}[kind], s.point.id)
	}
}

// whyNone explains why long-run's own resume command finds no interruption.
func (s *comparison) whyNone() string {
	at := s.run.state.current
	if at == "" {
		return "STATE.md names no plan"
	}
	return fmt.Sprintf("STATE.md is at plan %s, but plan %s already has a summary", at, s.run.units.lastSummed())
}

// ownFindsNone returns the remark that long-run's own resume command would find no interruption. It returns "" if the command would find
// one.
func (s *comparison) ownFindsNone() string {
	if kind, _ := s.run.ownCheck(); kind != "" {
		return ""
	}
	return "; long-run's own check would find no interruption"
}

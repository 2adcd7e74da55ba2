package longrun

import (
	"cmp"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// comparison holds pointers and words against the plans' own records.
type comparison struct {
	*standing
	told sources.Doubts
}

// compare tells where they disagree.
func compare(s *standing) sources.Doubts {
	c := &comparison{standing: s}
	for _, u := range s.run.units {
		c.compareUnit(u)
	}
	c.tellEarlier()
	c.tellLeftOver()
	c.compareState()
	return c.told
}

func (s *comparison) compareUnit(u *unit) {
	if s.run.passedOver(u) {
		s.told.Add(sources.DoubtSkippedOver, conflicts.Info, u.planned, "plan %s has no summary, and later plans are done: it was passed over", u.id)
	}
	if u.check != nil && !u.check.partial() && u.check.done > 0 && u.sum == nil {
		s.told.Add(sources.DoubtNotMarked, conflicts.Info, u.check.path, "%s, and it has no summary", allDone(u.check.total, "task", " of plan "+u.id))
	}
}

func (s *comparison) compareState() {
	st := s.run.state
	switch {
	case !st.ok:
	case st.complete() && !s.allDone() && len(s.run.units) > 0:
		s.told.Add(sources.DoubtStatusWord, conflicts.Warning, st.path, "STATE.md says %s, and %s", st.status, s.counted())
	case s.beyond():
		s.told.Add(sources.DoubtDiscrepancy, conflicts.Warning, st.path, "STATE.md stands at plan %s, and there is no such plan: plan %s is next", st.current, s.point.id)
		return
	case st.current != "" && s.point != nil && sources.NaturalOrder(st.current, s.point.id) < 0:
		why := "the summaries reach further"
		if sources.NaturalOrder(s.run.units.lastSummed(), st.current) < 0 {
			why = "a later plan was begun"
		}
		s.told.Add(sources.DoubtDiscrepancy, conflicts.Warning, st.path, "STATE.md stands at plan %s, and %s: plan %s is next%s", st.current, why, s.point.id, s.ownFindsNone())
		return
	case !st.complete() && s.allDone():
		s.told.Add(sources.DoubtDiscrepancy, conflicts.Warning, st.path, "STATE.md says %s, and %s", cmp.Or(st.status, "nothing"), s.counted())
	}
	s.tellOwnCheck()
}

// tellEarlier names open plans before the next one of which nothing is recorded, and which the state file has left behind.
func (s *comparison) tellEarlier() {
	for _, u := range s.run.units {
		if u == s.point {
			return
		}
		if s.point != nil && s.states[u] == checkpoint.Pending && !s.run.passedOver(u) && sources.NaturalOrder(s.run.state.current, u.id) > 0 {
			s.told.Add(sources.DoubtSkippedOver, conflicts.Warning, u.planned, "plan %s has no summary, and STATE.md stands behind it, at plan %s", u.id, s.run.state.current)
		}
	}
}

func (s *comparison) tellLeftOver() {
	for _, u := range s.leftOver() {
		s.told.Add(sources.DoubtDiscrepancy, conflicts.Warning, u.check.path,
			"plan %s is %s by its summary, and its checkpoint stands at task %d of %d: long-run's own check would take that plan up again, and 'clean-up' removes the checkpoint",
			u.id, s.states[u], u.check.done, u.check.total)
	}
}

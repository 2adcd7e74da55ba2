package longrun

import (
	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// compare tells where pointers and words disagree with the plans' own records.
func (s *standing) compare() {
	r := s.run
	for _, u := range r.units {
		if s.passedOver(u) {
			r.doubt(sources.DoubtSkippedOver, conflicts.Info, u.planned, "plan %s has no summary, and later plans are done: it was passed over", u.id)
		}
		if u.check != nil && !u.check.partial() && u.check.done > 0 && u.sum == nil {
			r.doubt(sources.DoubtNotMarked, conflicts.Info, u.check.path, "%s, and it has no summary", allDone(u.check.total, "task", " of plan "+u.id))
		}
	}
	s.tellEarlier()
	s.tellLeftOver()
	st := r.state
	switch {
	case !st.ok:
	case st.complete() && !s.allDone() && len(r.units) > 0:
		r.doubt(sources.DoubtStatusWord, conflicts.Warning, st.path, "STATE.md says %s, and %s", st.status, s.counted())
	case s.beyond():
		r.doubt(sources.DoubtDiscrepancy, conflicts.Warning, st.path, "STATE.md stands at plan %s, and there is no such plan: plan %s is next", st.current, s.point.id)
		return
	case st.current != "" && s.point != nil && sources.NaturalOrder(st.current, s.point.id) < 0:
		why := "the summaries reach further"
		if sources.NaturalOrder(s.lastSummed(), st.current) < 0 {
			why = "a later plan was begun"
		}
		r.doubt(sources.DoubtDiscrepancy, conflicts.Warning, st.path, "STATE.md stands at plan %s, and %s: plan %s is next%s", st.current, why, s.point.id, s.ownFindsNone())
		return
	case !st.complete() && s.allDone():
		r.doubt(sources.DoubtDiscrepancy, conflicts.Warning, st.path, "STATE.md says %s, and %s", first(st.status, "nothing"), s.counted())
	}
	s.tellOwnCheck()
}

// tellEarlier names open plans before the next one of which nothing is recorded, and which the state file has left behind.
func (s *standing) tellEarlier() {
	for _, u := range s.run.units {
		if u == s.point {
			return
		}
		if s.point != nil && s.states[u] == checkpoint.Pending && !s.passedOver(u) && sources.NaturalOrder(s.run.state.current, u.id) > 0 {
			s.run.doubt(sources.DoubtSkippedOver, conflicts.Warning, u.planned, "plan %s has no summary, and STATE.md stands behind it, at plan %s", u.id, s.run.state.current)
		}
	}
}

func (s *standing) tellLeftOver() {
	for _, u := range s.leftOver() {
		s.run.doubt(sources.DoubtDiscrepancy, conflicts.Warning, u.check.path,
			"plan %s is %s by its summary, and its checkpoint stands at task %d of %d: long-run's own check would take that plan up again, and 'clean-up' removes the checkpoint",
			u.id, s.states[u], u.check.done, u.check.total)
	}
}

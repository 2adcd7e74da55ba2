package longrun

import (
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// firstOpen returns the first plan to work on, or nil if no plan is open. It leaves out the plans for which passedOver is true.
func (s *diagnosis) firstOpen() *unit {
	return s.first(slices.DeleteFunc(slices.Clone(s.run.units), s.run.passedOver))
}

// The method without() returns the plan that would come next if plan u were skipped, or nil if no other plan is open. It may be an earlier
// plan than u: the question about a later plan can be skipped, and an agent can be at work on a later plan. But an earlier plan that
// STATE.md is past comes next only if no later plan is open.
func (s *diagnosis) without(u *unit) *unit {
	rest := slices.DeleteFunc(slices.Clone(s.run.units), func(other *unit) bool { return other == u || s.run.passedOver(other) })
	next := s.first(slices.DeleteFunc(slices.Clone(rest), func(other *unit) bool {
		return sources.NaturalOrder(other.id, u.id) < 0 && sources.NaturalOrder(other.id, s.run.state.current) < 0
	}))
	if next != nil {
		return next
	}
	return s.first(rest)
}

// first returns the first open plan whose dependencies are done. If no plan has all dependencies done, it returns the first open plan. It
// returns nil if no plan is open.
func (s *diagnosis) first(all plans) *unit {
	all = slices.DeleteFunc(all, func(u *unit) bool { return !s.open(u) })
	if len(all) == 0 {
		return nil
	}
	return all[max(0, slices.IndexFunc(all, func(u *unit) bool { return len(s.run.units.unmet(u)) == 0 }))]
}

// block marks a plan as blocked if it depends on a missing or skipped plan, or on itself through a cycle. It adds a warning with the
// reason.
func (s *diagnosis) block() {
	for _, u := range s.run.units {
		if !s.open(u) {
			continue
		}
		for _, id := range s.run.units.unmet(u) {
			need := s.run.units.find(id)
			switch {
			case need == nil:
				s.states[u] = checkpoint.Blocked
				s.doubts.Add(sources.DoubtUnknownNeed, conflicts.Blocking, u.planned, "plan %s needs plan %s, but there is no plan %s", u.id, id, id)
			case s.states[need] == checkpoint.Skipped:
				s.states[u] = checkpoint.Blocked
				s.doubts.Add("needs-skipped", conflicts.Warning, need.sum.path, "plan %s needs plan %s, which was skipped%s", u.id, need.id, because(need.sum.reason))
			}
		}
	}
	var ids []string
	for _, u := range s.circle() {
		ids = append(ids, u.id)
		s.states[u] = checkpoint.Blocked
	}
	if ids != nil {
		s.doubts.Add(sources.DoubtCycle, conflicts.Blocking, "", "plans depend on each other in a cycle: %s", strings.Join(ids, " → "))
	}
}

// The function because() describes why a plan was skipped. A reason that long-run does not define is shown unchanged.
func because(reason string) string {
	switch reason {
	case "":
		return ""
	case byUser:
		return " by a person"
	case unclear:
		return " because a question was not answered"
	}
	return ": " + reason
}

// circle returns open plans that depend on each other in a cycle. The result is empty if there is no cycle.
func (s *diagnosis) circle() []*unit {
	open := func(all []*unit) []*unit {
		return slices.DeleteFunc(all, func(u *unit) bool { return u == nil || !s.open(u) })
	}
	return sources.Circle(open(slices.Clone(s.run.units)), func(u *unit) []*unit {
		var needs []*unit
		for _, id := range u.plan.Needs {
			needs = append(needs, s.run.units.find(id))
		}
		return open(needs)
	})
}

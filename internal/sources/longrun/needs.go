package longrun

import (
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// passedOver: a plan without any record that later finished plans and the state file have left behind.
func (s *standing) passedOver(u *unit) bool {
	r := s.run
	if u.sum != nil || u.check != nil || r.state.current != "" && sources.NaturalOrder(r.state.current, u.id) <= 0 {
		return false
	}
	i := slices.Index(r.units, u)
	return slices.ContainsFunc(r.units[i+1:], (*unit).finished)
}

// firstOpen is the first plan that is not done, is not passed over, and whose needs are done; else the first open one.
func (s *standing) firstOpen() *unit {
	var any *unit
	for _, u := range s.run.units {
		if !s.open(u) || s.passedOver(u) {
			continue
		}
		if any == nil {
			any = u
		}
		if len(s.unmet(u)) == 0 {
			return u
		}
	}
	return any
}

// unmet are the needs of a plan that are not done.
func (s *standing) unmet(u *unit) []string {
	var out []string
	for _, id := range u.plan.Needs {
		if !s.run.find(id).finished() {
			out = append(out, id)
		}
	}
	return out
}

// block marks plans whose needs can never be met as they stand, and names circles.
func (s *standing) block() {
	for _, u := range s.run.units {
		if !s.open(u) {
			continue
		}
		for _, id := range s.unmet(u) {
			need := s.run.find(id)
			switch {
			case need == nil:
				s.states[u] = checkpoint.Blocked
				s.run.doubt(sources.DoubtUnknownNeed, conflicts.Blocking, u.planned, "plan %s needs plan %s: dependency plan not executed, and there is no such plan", u.id, id)
			case s.states[need] == checkpoint.Skipped:
				s.states[u] = checkpoint.Blocked
				s.run.doubt("needs-skipped", conflicts.Warning, need.sum.path, "plan %s needs plan %s, which was skipped%s", u.id, need.id, because(need.sum.reason))
			}
		}
	}
	if circle := s.circle(); circle != nil {
		s.run.doubt(sources.DoubtCycle, conflicts.Blocking, "", "plans need each other in a circle: %s", strings.Join(circle, " → "))
		for _, id := range circle {
			s.states[s.run.find(id)] = checkpoint.Blocked
		}
	}
}

// because says in words why a plan was skipped; a reason that is not ours is shown as it is.
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

// circle is a path along needs that comes back to its beginning.
func (s *standing) circle() []string {
	done := map[*unit]bool{}
	var walk func(u *unit, way []*unit) []string
	walk = func(u *unit, way []*unit) []string {
		if i := slices.Index(way, u); i >= 0 {
			var ids []string
			for _, w := range append(way[i:], u) {
				ids = append(ids, w.id)
			}
			return ids
		}
		if done[u] {
			return nil
		}
		for _, id := range u.plan.Needs {
			if need := s.run.find(id); need != nil && s.open(need) {
				if c := walk(need, append(slices.Clone(way), u)); c != nil {
					return c
				}
			}
		}
		done[u] = true
		return nil
	}
	for _, u := range s.run.units {
		if c := walk(u, nil); s.open(u) && c != nil {
			return c
		}
	}
	return nil
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

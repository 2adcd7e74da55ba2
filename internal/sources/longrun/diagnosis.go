package longrun

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/planfolder"
)

// These are the kinds of interruption, with the names that long-run uses.
const (
	activeAgent  = "active_agent"
	partialPlan  = "partial_plan"
	betweenPlans = "between_plans"
	pendingWord  = "pending_clarification"
)

// sign is one fact that shows an interruption, such as an incomplete checkpoint. The first sign determines the kind of the interruption,
// and the others are reported too.
type sign struct {
	kind   string
	unit   *unit
	fields map[string]any
}

// diagnosis says at which plan the run was interrupted, and which facts show that.
type diagnosis struct {
	run    *run
	signs  []sign
	point  *unit
	states map[*unit]checkpoint.TaskState
	agent  planfolder.Marked
	marked *unit // the plan of the agent that the marker file names
	// The field "partial" has the plans with an incomplete checkpoint.
	partial plans
	doubts  sources.Doubts
}

func diagnose(r *run) *diagnosis {
	s := &diagnosis{run: r, states: map[*unit]checkpoint.TaskState{}}
	for _, u := range r.units {
		s.states[u] = u.state()
	}
	s.checkMarker()
	s.collect()
	s.choose()
	s.tellPartial()
	s.block()
	return s
}

// kind returns the kind of the interruption, or an empty text if nothing shows an interruption.
func (s *diagnosis) kind() string {
	if len(s.signs) == 0 {
		return ""
	}
	return s.signs[0].kind
}

func (s *diagnosis) open(u *unit) bool {
	return s.states[u] != checkpoint.Done && s.states[u] != checkpoint.Skipped
}

// closed reports whether a plan with this id exists and is done or skipped.
func (s *diagnosis) closed(id string) bool {
	u := s.run.units.find(id)
	return u != nil && !s.open(u)
}

// checkMarker decides whether the agent in the marker file may still be running. The file alone does not prove it, because long-run writes
// and deletes the file late.
func (s *diagnosis) checkMarker() {
	all := ""
	if s.allDone() {
		all = "all plans have summaries"
	}
	var doubts []sources.Doubt
	s.agent, doubts = s.run.Agents.Judge(func(id string) string {
		if u := s.run.units.find(id); u.finished() {
			return "plan " + u.id + " has a summary" + map[bool]string{true: " that says completed"}[u.sum.status != ""]
		}
		return ""
	}, all)
	s.marked = s.run.units.find(s.agent.Unit)
	if s.agent.Live() && s.agent.Known && s.agent.Unit != "" && s.marked == nil && len(s.run.units) > 0 {
		s.doubts.Add(sources.DoubtDiscrepancy, conflicts.Warning, s.run.Agents.HistoryPath, "agent %s works on plan %s according to %s, but there is no such plan",
			s.agent.ID, s.agent.Plan, path.Base(s.run.Agents.HistoryPath))
	}
	for i := range doubts {
		if doubts[i].Code == sources.DoubtStaleMarker {
			doubts[i].Text += "; long-run itself would conclude from this marker that an agent is working: before you use long-run, remove the marker (with the choice clean-up), or tell long-run to ignore it"
		}
	}
	s.doubts = append(s.doubts, doubts...)
}

func (s *diagnosis) allDone() bool {
	done := false
	for _, u := range s.run.units {
		if s.open(u) {
			return false
		}
		done = done || s.states[u] == checkpoint.Done
	}
	return done
}

// collect looks for signs of the four kinds of interruption, in the same order as long-run's own resume command.
func (s *diagnosis) collect() {
	r := s.run
	if s.agent.Live() {
		fields := map[string]any{"agent_id": r.Agents.Marker}
		if s.agent.Known {
			fields["plan"], fields["status"], fields["timestamp"] = s.agent.Plan, s.agent.Status, s.agent.Timestamp
		}
		s.signs = append(s.signs, sign{activeAgent, s.marked, fields})
	}
	s.collectPartial()
	s.collectBetween()
	for _, c := range r.asked {
		if c.pending() {
			s.signs = append(s.signs, sign{pendingWord, s.run.units.groupOf(c), map[string]any{"task_group": c.group, "question": c.question}})
			break
		}
	}
	s.collectLeft()
}

func (s *diagnosis) collectPartial() {
	for _, u := range s.run.units {
		c := u.check
		if !c.partial() || u.finished() || u.sum.is("skipped") {
			continue
		}
		if s.partial = append(s.partial, u); len(s.partial) > 1 {
			continue
		}
		fields := map[string]any{"plan": cmp.Or(c.plan, u.id)}
		if !c.dark {
			fields["completed_tasks"] = c.done
		}
		if !c.open {
			fields["total_tasks"] = c.total
		}
		if c.last != "" {
			fields["last_commit"] = c.last
		}
		s.signs = append(s.signs, sign{partialPlan, u, fields})
	}
}

// tellPartial warns about further interrupted plans. The first one is the plan at the resume point.
func (s *diagnosis) tellPartial() {
	at := s.point != nil && (s.atWork(s.point) || slices.Contains(s.partial, s.point))
	var rest []string
	for _, u := range s.partial {
		if u != s.point {
			rest = append(rest, u.id)
		}
	}
	switch {
	case s.point == nil, len(rest) == 0, len(rest) == 1 && !at:
	case len(rest) == 1:
		s.doubts.Add("more-partial-plans", conflicts.Warning, "", "plan %s was also interrupted; continue with plan %s first", rest[0], s.point.id)
	default:
		s.doubts.Add("more-partial-plans", conflicts.Warning, "", "plans %s were also interrupted; continue with plan %s first", strings.Join(rest, ", "), s.point.id)
	}
}

// endedWithout reports whether the agent in the marker file has ended according to the history, and plan u is its plan and has no summary.
func (s *diagnosis) endedWithout(u *unit) bool {
	return s.agent.Known && s.agent.Stale && s.agent.HasEnded() && u != nil && s.marked == u && u.sum == nil
}

// endedText describes an agent that has ended without writing a summary of its plan.
func (s *diagnosis) endedText() string {
	return fmt.Sprintf("agent %s, which worked on plan %s, has ended (%s), but the plan has no summary", s.agent.ID, s.marked.id, s.agent.Status)
}

// atWork reports whether an agent may still be working on the plan.
func (s *diagnosis) atWork(u *unit) bool { return s.agent.Live() && s.marked == u }

// collectBetween adds a sign of an interruption if the current plan in STATE.md comes after the last plan with a summary.
func (s *diagnosis) collectBetween() {
	r := s.run
	last, current := s.run.units.lastSummed(), r.state.current
	if !r.state.complete() && current != "" && sources.NaturalOrder(current, last) > 0 {
		s.between(r.units.find(current), current, last)
	}
}

// collectLeft handles a started run without any sign of an interruption. It treats the first open plan as interrupted, even if STATE.md
// names a later plan.
func (s *diagnosis) collectLeft() {
	if len(s.signs) > 0 || s.run.state.complete() || !s.run.begun() {
		return
	}
	if u := s.firstOpen(); u != nil {
		s.between(u, u.id, s.run.units.lastSummed())
	}
}

func (s *diagnosis) between(u *unit, from, last string) {
	s.signs = append(s.signs, sign{betweenPlans, u, map[string]any{"resume_from": number(from), "last_completed": number(last)}})
}

func number(id string) any {
	if n, err := strconv.Atoi(id); err == nil {
		return n
	}
	return id
}

// choose sets the plan to continue with. This is the interrupted plan or, if there is none, the first open plan. If the plan depends on
// another open plan, choose takes that one instead.
func (s *diagnosis) choose() {
	for _, g := range s.signs {
		if g.unit != nil && s.open(g.unit) && g.kind != pendingWord {
			s.point = g.unit
			break
		}
	}
	if s.point == nil {
		s.point = s.firstOpen()
	}
	for seen := []*unit{}; s.point != nil && !slices.Contains(seen, s.point); {
		seen = append(seen, s.point)
		for _, id := range s.run.units.unmet(s.point) {
			if need := s.run.units.find(id); need != nil && s.open(need) {
				s.doubts.Add("needs-not-done", conflicts.Warning, need.planned, "plan %s needs plan %s, which is not done", s.point.id, need.id)
				s.point = need
				break
			}
		}
	}
}

// leftOver returns finished or skipped plans with an incomplete checkpoint. Long-run itself would continue such a plan.
func (s *diagnosis) leftOver() []*unit {
	var out []*unit
	for _, u := range s.run.units {
		if !s.open(u) && u.check.partial() && !u.check.open {
			out = append(out, u)
		}
	}
	return out
}

// beyond reports whether the plan number in STATE.md is higher than that of the last plan, although an open plan exists.
func (s *diagnosis) beyond() bool {
	st := s.run.state
	return st.OK && !st.complete() && s.point != nil && s.run.units.numbered() && st.current != "" && s.run.units.find(st.current) == nil &&
		sources.NaturalOrder(st.current, s.run.units[len(s.run.units)-1].id) > 0
}

// unsummed reports whether all tasks of the next plan are done but its summary is missing.
func (s *diagnosis) unsummed() bool {
	return s.point != nil && s.point.sum == nil && s.point.check != nil && !s.point.check.lost && !s.point.check.partial()
}

// counted returns a text with the number of finished plans and the number of skipped plans.
func (s *diagnosis) counted() string {
	done, skipped := 0, 0
	for _, state := range s.states {
		switch state {
		case checkpoint.Done:
			done++
		case checkpoint.Skipped:
			skipped++
		}
	}
	text := fmt.Sprintf("%d of %d plans are done", done, len(s.run.units))
	switch {
	case done > 0 && done == len(s.run.units):
		return allDone(done, "plan", "")
	case skipped > 0:
		text += ", " + sources.Count(skipped, "was", "were") + " skipped"
	}
	return text
}

// allDone returns a text such as "all 3 tasks of plan 02 are done", or for a single task "the only task of plan 02 is done".
func allDone(n int, what, of string) string {
	if n == 1 {
		return "the only " + what + of + " is done"
	}
	return fmt.Sprintf("all %d %ss%s are done", n, what, of)
}

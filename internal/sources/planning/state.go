package planning

import (
	"cmp"
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/planfolder"
	"github.com/git-resume/git-resume/internal/textdoc"
	"github.com/git-resume/git-resume/internal/textdoc/yamldoc"
)

// stateFile is the content of STATE.md, in which the project records its progress.
type stateFile struct {
	planfolder.StateFile
	// The fields phase and plan contain the current phase and plan, and the fields phases and plans contain their total numbers. The
	// field "ended" means that the current phase is complete according to the file.
	phase, phases string
	plan, plans   string
	ended         bool
	// planned means that the number of the plan only says how many plans were written.
	planned bool
	// last is the plan that was completed last, according to the file.
	last   string
	resume string
	all    bool // the counts in the file say that everything is done
	counts textdoc.Value
}

var (
	completePlan  = textdoc.NewForm(`(?i)^([0-9]{1,6}(?:\.[0-9]{1,4})?-[0-9]{1,4})[ \t]+(?:is[ \t]+)?(?:complete|completed|done|finished)\b`)
	onlyPlanned   = textdoc.NewForm(`(?i)\b(?:planned|created|ready)\b`)
	completedPlan = textdoc.NewForm(`(?i)\bcompleted[ \t]+([0-9]{1,6}(?:\.[0-9]{1,4})?-[0-9]{1,4}[0-9A-Za-z-]{0,20})`)
	countedPlans  = textdoc.NewForm(`\b([0-9]{1,6})/([0-9]{1,6}) plans`)
	completePhase = textdoc.NewForm(`(?i)^phase[ \t_]*([0-9]{1,6}(?:\.[0-9]{1,4})?)?[ \t_]*(?:is[ \t]+)?(?:complete|completed|done|finished)\b`)
)

func (s *stateFile) parse(text string) error {
	front, body, err := yamldoc.FrontMatter(text)
	if err != nil {
		return err
	}
	at := s.Positioned(body, "Current Position")
	for _, key := range []string{"last_updated", "stopped_at", "status"} {
		if v := front.Get(key).Text(); v != "" {
			s.Labels[key] = v
		}
	}
	s.Status = cmp.Or(at["status"], front.Get("status").Text())
	s.phase, s.phases, _ = planfolder.Position(at["phase"])
	s.plan, s.plans, _ = planfolder.Position(at["plan"])
	if number, plan, ok := strings.Cut(front.Get("current_plan").Text(), "-"); ok && s.phase == "" {
		s.phase, s.plan = planfolder.LeadingNumber(number), planfolder.LeadingNumber(plan)
	}
	s.planned = onlyPlanned.MatchString(at["plan"])
	s.ended = strings.Contains(strings.ToLower(at["phase"]), "complete") || s.endedBy(s.Status)
	s.resume = s.Labels["resume file"]
	for _, key := range []string{"last activity", "stopped at", "stopped_at"} {
		if m := completedPlan.FindStringSubmatch(s.Labels[key]); m != nil && sources.NaturalOrder(planID(m[1]), s.last) > 0 {
			s.last = planID(m[1])
		}
	}
	if m := completePlan.FindStringSubmatch(at["plan"]); m != nil && sources.NaturalOrder(m[1], s.last) > 0 {
		s.last = m[1]
	}
	s.counts = front.Get("progress")
	s.all = allCounted(s.counts) || allPlans(at["progress"]) || strings.HasSuffix(at["progress"], " 100%")
	return nil
}

func planID(name string) string { return strings.TrimSuffix(name, "-PLAN") }

func allCounted(counts textdoc.Value) bool {
	total, ok := counts.Get("total_plans").Int()
	done, _ := counts.Get("completed_plans").Int()
	phases, _ := counts.Get("total_phases").Int()
	ended, _ := counts.Get("completed_phases").Int()
	return ok && total > 0 && done >= total && ended >= phases
}

func allPlans(progress string) bool {
	m := countedPlans.FindStringSubmatch(progress)
	return m != nil && m[1] == m[2]
}

// complete reports whether the status or the counts say that everything is done. The words "Phase complete" are only about one phase. If
// there are later phases, the project is not complete.
func (s *stateFile) complete() bool {
	if !s.OK || s.phases != "" && sources.NaturalOrder(s.phase, s.phases) < 0 {
		return false
	}
	return isOver(s.Status) || s.all
}

// endedBy reports whether a status such as "Phase complete" or "Phase 6 complete" says that the current phase is complete.
func (s *stateFile) endedBy(status string) bool {
	m := completePhase.FindStringSubmatch(status)
	return m != nil && (m[1] == "" || sources.NaturalOrder(m[1], s.phase) == 0)
}

// shipped reports whether the file calls the whole milestone complete. A status such as "completed" may be about one phase only. So it does
// not count if the file itself says that more phases are left.
func (s *stateFile) shipped() bool {
	word := s.Labels["status"]
	return s.OK && isOver(word) && (endsMilestone(word) || !s.unmet())
}

// unmet reports whether the file itself says that phases are left: for example, it counts 7 of 9 phases as completed, or names phase 7 of 9
// as the current one. A count of 0 completed phases is ignored, because then nobody has updated the counts.
func (s *stateFile) unmet() bool {
	total, _ := s.counts.Get("total_phases").Int()
	ended, _ := s.counts.Get("completed_phases").Int()
	return ended > 0 && ended < total || s.phases != "" && sources.NaturalOrder(s.phase, s.phases) < 0
}

// closed reports whether the file counts all phases and plans of the milestone as complete, and does not say that work is in progress.
func (s *stateFile) closed() bool {
	return s.OK && allCounted(s.counts) && sources.MeaningOf(s.Labels["status"]) != sources.MeansInProgress
}

// verifying reports whether the status says that a verification comes next.
func (s *stateFile) verifying() bool {
	return s.OK && (sources.FoldWord(s.Labels["status"]) == "verifying" || strings.Contains(strings.ToLower(s.Status), "ready for verification"))
}

// These forms match a status which says that a milestone is finished, such as "Milestone v1.2 complete" and "Awaiting next milestone". The
// status must have spaces instead of "_" and "-".
var (
	milestoneOver = textdoc.NewFormWith("milestone", `(?i)\bmilestone (?:v?[0-9.]+ )?(?:complete|completed|closed|shipped|archived)\b`)
	nextMilestone = textdoc.NewFormWith("milestone", `(?i)\b(?:between|awaiting|ready for|ready to plan|planning) (?:the )?(?:next )?milestones?\b`)
)

// endsMilestone reports whether a status says that the milestone is finished.
func endsMilestone(status string) bool {
	status = strings.NewReplacer("_", " ", "-", " ").Replace(status)
	return milestoneOver.FindStringSubmatch(status) != nil || nextMilestone.FindStringSubmatch(status) != nil
}

// isOver reports whether a status says that everything is done.
func isOver(status string) bool {
	return sources.MeaningOf(status) == sources.MeansDone || endsMilestone(status)
}

package planning

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/commitlog"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/planfolder"
)

// diagnosis holds what the files of a project show together: the newest phase, the running agent, the pause note and the next step.
type diagnosis struct {
	*project
	newest int       // index of the last phase with a finished plan, or -1 if there is none
	point  *planFile // the plan to continue with, or nil if no plan is left
	phase  *phase    // the phase that must be planned or closed, if no plan is left
	close  bool      // true if that phase must be closed, false if it must be planned
	placed bool      // STATE.md names the phase or the plan at which the work continues
	pause  *pause
	agent  planfolder.Marked
	begun  commitlog.Commit // a commit that names the plan in the field "point", or its phase; empty if there is none
	late   []*pause         // pause notes that are outdated, for example because their plan has a summary by now
}

// diagnose finds the newest phase with a summary, the running agent and the newest valid pause note. The method choose then decides where
// the work continues.
func diagnose(p *project) *diagnosis {
	s := &diagnosis{project: p}
	s.findNewest()
	s.checkMarker()
	s.checkPauses()
	if s.pause == nil && !s.agent.Live() { // a note or a marker says more exactly where the work stopped
		believe(s)
		s.findNewest()
	}
	return s
}

func (s *diagnosis) findNewest() {
	s.newest = -1
	for i, ph := range s.phases {
		if slices.ContainsFunc(ph.plans, (*planFile).done) {
			s.newest = i
		}
	}
}

// checkMarker decides whether the file that names the running agent is outdated, and adds warnings about it.
func (s *diagnosis) checkMarker() {
	all := ""
	if s.newest >= 0 && s.allDone() {
		all = "all plans of phase " + s.phases[s.newest].number + " have summaries, and no later phase has a plan"
	}
	var doubts []sources.Doubt
	s.agent, doubts = s.Agents.Judge(func(id string) string {
		if u := s.find(id); u.done() {
			return "plan " + u.id + " has a summary, so it is done"
		}
		return ""
	}, all)
	s.Doubts = append(s.Doubts, doubts...)
}

// allDone reports whether every plan from phase s.newest onward has a summary. Open plans in earlier phases were skipped and do not count.
func (s *diagnosis) allDone() bool {
	for _, ph := range s.phases[max(0, s.newest):] {
		for _, u := range ph.plans {
			if !u.done() {
				return false
			}
		}
	}
	return true
}

// checkPauses chooses the newest pause note about unfinished work. It adds warnings about all other notes.
func (s *diagnosis) checkPauses() {
	var open []*pause
	for i := range s.pauses {
		n := &s.pauses[i]
		if why := s.overruled(n); why != "" {
			s.late = append(s.late, n)
			s.Doubts.Add(sources.DoubtStaleMarker, conflicts.Warning, n.path, "the note in %s is outdated: %s", n.path, why)
			continue
		}
		if open = append(open, n); s.pause == nil || !n.before(s.pause) {
			s.pause = n
		}
	}
	for _, n := range open {
		if n != s.pause {
			s.Doubts.Add("more-notes", conflicts.Warning, n.path, "there is another note in %s; the note in %s %scounts", n.path, s.pause.path, map[bool]string{true: "is newer and "}[n.before(s.pause)])
		}
	}
}

// overruled returns the reason why a pause note is outdated, for example that its plan has a summary. It returns an empty text if the note
// is still valid.
func (s *diagnosis) overruled(n *pause) string {
	number := planfolder.LeadingNumber(n.phase)
	if u := s.find(planfolder.UnitOf(n.phase, n.plan)); u.done() {
		return "plan " + u.id + " has a summary, so it is done"
	}
	ph := s.phaseOf(number)
	if i := slices.Index(s.phases, ph); ph != nil && i < s.newest && s.firstOpen(ph) == nil {
		return "plans of phase " + s.phases[s.newest].number + " have summaries, and no plan of phase " + ph.number + " is open"
	}
	if ph == nil || len(ph.plans) == 0 || slices.ContainsFunc(ph.plans, func(u *planFile) bool { return !u.done() }) {
		return ""
	}
	if later := plannedSince(s, n, ph); later != "" {
		return "phase " + later + " was planned later, and all plans of phase " + ph.number + " have summaries"
	}
	// The summaries show nothing about a note that names a plan which does not exist, or that names no numbered task.
	if _, err := strconv.Atoi(n.task); n.plan != "" || err != nil {
		return ""
	}
	return "all plans of phase " + ph.number + " have summaries"
}

// choose decides where to continue. It prefers a pause note, then the plan of the running agent, then the plan that the newest commits
// carry out, and then an open plan or phase. Among phases without plans, STATE.md decides.
func (s *diagnosis) choose() {
	if s.pause != nil {
		number := planfolder.LeadingNumber(s.pause.phase)
		if s.point = s.find(planfolder.UnitOf(s.pause.phase, s.pause.plan)); s.point == nil {
			s.point = s.firstOpen(s.phaseOf(number))
		}
		return
	}
	if u := s.find(s.agent.Unit); u != nil && s.agent.Live() {
		s.point = u
		return
	}
	if s.point, s.begun = underWay(s); s.point != nil {
		return
	}
	if chooseByOrder(s); (s.phase == nil || s.close) && s.newest >= 0 {
		return
	}
	if ph := phaseNamedLast(s); ph != nil && s.point == nil {
		s.phase = ph
		return
	}
	if ph := position(s); ph != nil && ph != s.phase {
		s.phase, s.placed = ph, true
		if s.point = s.firstOpen(ph); s.point != nil {
			s.phase = nil
		}
	}
}

// chooseByOrder takes the first open plan, or the first unfinished phase without an open plan. It begins this search at s.newest, the newest
// phase with summaries. If it finds nothing, it takes a small task, or else a phase without plans that comes before s.newest.
func chooseByOrder(s *diagnosis) {
	for i, ph := range s.phases {
		if i < s.newest {
			continue
		}
		if s.point = s.firstOpen(ph); s.point != nil {
			return
		}
		if s.unfinished(ph) && (len(ph.plans) == 0 || !plannedAfter(s, i) && !wentOn(s, i)) {
			s.phase, s.close = ph, len(ph.plans) > 0
			return
		}
	}
	if s.point = s.firstQuick(); s.point != nil {
		return
	}
	for _, ph := range s.phases[:max(0, s.newest)] {
		if rp, _ := s.roadmap.at(ph.number); len(ph.plans) == 0 && rp.standing == open {
			s.phase = ph
			return
		}
	}
}

// firstOpen returns the open plan with which a phase continues, or nil if there is none. It prefers an open plan that is followed by a
// finished plan of the same wave, because the plans of a wave are carried out at the same time. If there is none, it takes the first open
// plan after the last finished plan. If there is none either, it takes the first open plan of all, which was probably skipped.
func (s *diagnosis) firstOpen(ph *phase) *planFile {
	if ph == nil {
		return nil
	}
	last := len(ph.plans) - 1
	for last >= 0 && !ph.plans[last].done() {
		last--
	}
	var passed, behind *planFile
	for i, u := range ph.plans {
		switch {
		case u.done() || u.path == "" && !u.torn:
		case i < last && s.sideBySide(u, ph.plans[i+1:last+1]):
			return u
		case i < last:
			passed = cmp.Or(passed, u)
		default:
			behind = cmp.Or(behind, u)
		}
	}
	return cmp.Or(behind, passed)
}

// sideBySide reports whether one of the given later plans is finished and belongs to the same wave as plan u.
func (s *diagnosis) sideBySide(u *planFile, later []*planFile) bool {
	wave := func(u *planFile) string {
		if u.path == "" {
			return ""
		}
		return s.Plan(u.path).Front.Get("wave").Text()
	}
	own := wave(u)
	return own != "" && slices.ContainsFunc(later, func(o *planFile) bool { return o.done() && wave(o) == own })
}

// firstQuick returns the first unfinished small task after the last finished one, or nil if there is none.
func (s *diagnosis) firstQuick() *planFile {
	var open *planFile
	for _, u := range s.quick.plans {
		switch {
		case u.done():
			open = nil
		case open == nil:
			open = u
		}
	}
	return open
}

// unfinished reports whether a phase still needs work, according to the roadmap. Without a roadmap, the folder of the
// phase decides.
func (s *diagnosis) unfinished(ph *phase) bool {
	rp, named := s.roadmap.at(ph.number)
	if len(ph.plans) > 0 {
		return rp.standing == open
	}
	return named && rp.standing != closed || !s.roadmap.there && s.numbered(ph)
}

// numbered reports whether a phase without plans still has to be done because of its folder. The folder's name must start with a number, and
// the phase must come after s.newest, the newest phase with summaries, because people have left the earlier phases behind.
func (s *diagnosis) numbered(ph *phase) bool {
	return ph.dir != "" && planfolder.LeadingNumber(path.Base(ph.dir)) != "" && slices.Index(s.phases, ph) > s.newest
}

// compare warns about contradictions between the plans, the summaries, the roadmap and the state file.
func (s *diagnosis) compare() {
	for _, ph := range s.phases[:max(0, s.newest)] {
		for _, u := range ph.plans {
			if !u.done() && u != s.point {
				s.Doubts.Add(sources.DoubtSkippedOver, conflicts.Info, u.path, "plan %s has no summary, but later phases do: it was skipped", u.id)
			}
		}
	}
	for _, ph := range s.phases {
		for _, u := range ph.plans {
			if u.said != "" {
				s.Doubts.Add(sources.DoubtNoEvidence, conflicts.Info, u.path, "%s says that plan %s is complete, but it has no summary", path.Base(u.said), u.id)
			}
		}
		if _, named := s.roadmap.at(ph.number); len(ph.plans) == 0 && !named && s.roadmap.there && s.numbered(ph) {
			s.Doubts.Add("phase-unnamed", conflicts.Warning, ph.dir, "%s has no plans, and ROADMAP.md does not name phase %s", ph.dir, ph.number)
		}
	}
	st := &s.state
	last := s.lastDone()
	switch {
	case !st.OK || last == nil || last.said != "" || st.phase == "" || s.placed:
	case sources.NaturalOrder(st.phase, last.phase.number) < 0,
		sources.NaturalOrder(st.phase, last.phase.number) == 0 && st.plan != "" && sources.NaturalOrder(planfolder.UnitOf(st.phase, st.plan), last.id) < 0:
		s.Doubts.Add(sources.DoubtDiscrepancy, conflicts.Warning, st.Path, "STATE.md is at phase %s, plan %s, but the later plan %s has a summary", st.phase, cmp.Or(st.plan, "?"), last.id)
	}
	if len(s.phases) > 0 && !s.roadmap.there {
		s.Doubts.Add(sources.DoubtMissing, conflicts.Info, s.roadmap.path, "%s does not exist: it is not known whether more phases were planned", s.roadmap.path)
	}
}

// lastDone returns the last plan that has a summary, or nil if there is none.
func (s *diagnosis) lastDone() *planFile {
	if s.newest < 0 {
		return nil
	}
	var last *planFile
	for _, u := range s.phases[s.newest].plans {
		if u.done() {
			last = u
		}
	}
	return last
}

// plans returns the number of finished plans and the number of all plans. Small tasks outside of the phases are not
// counted.
func (s *diagnosis) plans() (done, total int) {
	for _, ph := range s.phases {
		for _, u := range ph.plans {
			total++
			if u.done() {
				done++
			}
		}
	}
	return done, total
}

func (s *diagnosis) verdict() sources.State {
	done, total := s.plans()
	st := &s.state
	switch {
	case s.pause != nil:
		return sources.Paused
	case s.agent.Live():
		return sources.Interrupted
	case total == 0 && s.phase == nil && s.point == nil:
		return s.byWord()
	case total == 0 && s.phase != nil && !s.roadmap.hasClosedPhase() && len(s.Agents.Entries) == 0:
		return sources.NotStarted // only the roadmap exists
	case s.point == nil && s.phase == nil && s.leftOpen():
		return sources.Review
	case s.point == nil && s.phase == nil:
		return sources.Complete
	case s.point == nil && s.close:
		return sources.Review
	case done == 0 && s.point != nil && len(s.Agents.Entries) == 0 && (!st.OK || !strings.EqualFold(st.Status, "executing")):
		if s.begun.ID == "" && !s.placed {
			return sources.NotStarted
		}
	}
	return sources.Interrupted
}

// leftOpen reports whether a plan was skipped although the roadmap still shows its phase as open.
func (s *diagnosis) leftOpen() bool {
	for _, ph := range s.phases[:max(0, s.newest)] {
		rp, _ := s.roadmap.at(ph.number)
		if rp.standing == open && s.firstOpen(ph) != nil {
			return true
		}
	}
	return false
}

// byWord returns the state of a project without plans, according to STATE.md alone. If STATE.md could be read, byWord adds a warning that
// no plan confirms it.
func (s *diagnosis) byWord() sources.State {
	st := &s.state
	switch {
	case st.There && !st.OK:
		return sources.Corrupt
	case !st.OK && len(s.Agents.Entries) > 0:
		return sources.Unknown
	case !st.OK:
		return sources.NotStarted
	case st.complete():
		s.Doubts.Add(sources.DoubtNoEvidence, conflicts.Info, st.Path, "STATE.md says that everything is done, but there are no plans that prove it")
		return sources.Complete
	}
	s.Doubts.Add(sources.DoubtNoEvidence, conflicts.Warning, st.Path, "there are no plans; only STATE.md shows how far along the work is")
	if id, _ := s.byPointer(); id == "" {
		return sources.Unknown
	}
	return sources.Interrupted
}

// byPointer derives the next step from the state file. It returns "" if the state file does not show the next step.
func (s *diagnosis) byPointer() (id, reason string) {
	st := &s.state
	atEnd := st.plan != "" && st.plan == st.plans
	switch {
	case st.phase == "":
		return "", ""
	case st.last != "" && sources.NaturalOrder(planfolder.UnitOf(st.phase, st.plan), st.last) == 0 && !atEnd:
		n, err := strconv.Atoi(st.plan)
		if err != nil {
			return "", ""
		}
		return fmt.Sprintf("%s-%02d", st.phase, n+1), "STATE.md names plan " + st.last + " as the last one completed"
	case !st.ended && st.plan != "" && !atEnd:
		return planfolder.UnitOf(st.phase, pad(st.plan)), "STATE.md is at plan " + st.plan + " of " + cmp.Or(st.plans, "?")
	case (st.ended || atEnd) && st.phases != "" && sources.NaturalOrder(st.phase, st.phases) < 0:
		n, err := strconv.Atoi(planfolder.LeadingNumber(strings.Split(st.phase, ".")[0]))
		if err != nil {
			return "", ""
		}
		return strconv.Itoa(n + 1), "STATE.md is at the " + map[bool]string{true: "end", false: "last plan"}[st.ended] + " of phase " + st.phase + " of " + st.phases
	}
	return "", ""
}

func pad(plan string) string {
	if len(plan) == 1 {
		return "0" + plan
	}
	return plan
}

// leftovers returns the paths of outdated files: the agent marker, and pause notes.
func (s *diagnosis) leftovers() []string {
	var out []string
	if s.agent.Stale {
		out = append(out, s.Agents.MarkerPath)
	}
	for _, n := range s.late {
		out = append(out, n.path)
	}
	return out
}

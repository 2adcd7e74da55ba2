package planning

import (
	"maps"
	"slices"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/planfolder"
)

// position returns the phase that STATE.md names as the current one, or nil if work cannot continue there. Work can continue in a phase
// that has an open plan, or that has no plans and is not closed. It can also continue in a phase that is missing in the roadmap and has no
// folder, if this phase comes after the last phase with a finished plan: people often name a new phase only in STATE.md.
//
// A finished plan has a summary. If STATE.md is older than the last summary, position returns nil, because people then worked without
// updating STATE.md. If no plan has a summary, laterPhase checks the phase instead.
func position(s *diagnosis) *phase {
	st := &s.state
	if !st.OK || st.phase == "" || st.ended {
		return nil
	}
	ph, last := s.phaseOf(st.phase), s.lastDone()
	switch _, named := s.roadmap.at(st.phase); {
	case last == nil:
		return laterPhase(ph, s)
	case ph == nil && (named || sources.NaturalOrder(st.phase, last.phase.number) < 0):
		return nil
	case ph == nil:
		ph = &phase{number: st.phase}
	case s.firstOpen(ph) == nil && (len(ph.plans) > 0 || !s.unfinished(ph)):
		return nil
	}
	if last.said != "" {
		return ph
	}
	s.View.Date(s.Ctx, s.Tree, st.Path, last.summary)
	noted, _ := s.View.Written(s.Ctx, s.Tree, st.Path)
	if done, _ := s.View.Written(s.Ctx, s.Tree, last.summary); noted.Before(done) {
		return nil
	}
	return ph
}

// believe marks the plans without a summary that are complete according to the roadmap or STATE.md. In the roadmap, the heading of a phase
// must say it. According to STATE.md, these plans are complete: the plan that was completed last, the plans before the
// current one, and all plans of a phase that has ended. Plans beyond the number of plans that STATE.md gives were added after it ended, and
// neither file says anything about plans that were committed after it.
//
// STATE.md only counts the plans that are finished. So a plan before the current one may be open if a later plan of its wave is finished.
func believe(s *diagnosis) {
	st := &s.state
	said := map[*planFile]string{}
	for _, ph := range s.phases {
		if rp, _ := s.roadmap.at(ph.number); rp.headed {
			for _, u := range ph.plans {
				said[u] = s.roadmap.path
			}
		}
	}
	if u := s.find(st.last); u != nil {
		said[u] = st.Path
	}
	before := func(u *planFile, plan string, most int) bool {
		return plan != "" && sources.NaturalOrder(u.id, planfolder.UnitOf(st.phase, plan)) <= most
	}
	if ph := s.phaseOf(st.phase); ph != nil {
		for i, u := range ph.plans {
			switch ended := st.endedBy(st.Status); {
			case ended && (st.plans == "" || before(u, st.plans, 0)), !ended && !st.planned && before(u, st.plan, -1) && !s.sideBySide(u, ph.plans[i+1:]):
				said[u] = st.Path
			}
		}
	}
	maps.DeleteFunc(said, func(u *planFile, _ string) bool { return u.done() || u.path == "" })
	var paths []string
	for u, file := range said {
		paths = append(paths, u.path, file)
	}
	s.View.Date(s.Ctx, s.Tree, paths...)
	for u, file := range said {
		noted, _ := s.View.Written(s.Ctx, s.Tree, file)
		if written, by := s.View.Written(s.Ctx, s.Tree, u.path); by != "commit" || !written.After(noted) {
			u.said = file
		}
	}
}

// laterPhase returns the argument "ph", the phase that STATE.md names, if the phases before it seem to be over, and nil otherwise. It is used
// if no plan has a summary: then only STATE.md can show that the earlier phases are over.
//
// The phase must have an open plan, and phases before it must have plans too. laterPhase looks for the newest commit that changed one of
// these earlier plans. Some work must have been committed after this commit, because otherwise the earlier plans were not carried out.
// The commit must not be older than proofTime, so that git is not asked about old projects.
func laterPhase(ph *phase, s *diagnosis) *phase {
	if ph == nil || s.firstOpen(ph) == nil {
		return nil
	}
	var earlier []string
	for _, p := range s.phases[:slices.Index(s.phases, ph)] {
		for _, u := range p.plans {
			earlier = append(earlier, u.path)
		}
	}
	written, at := s.View.NewestCommit(s.Ctx, s.Tree, earlier...)
	if written == "" || s.View.Now.Sub(at) > proofTime || s.View.Recent.History(s.Ctx, at).WorkSince(s.View.Head(s.Ctx, s.Tree), written) == nil {
		return nil
	}
	return ph
}

// plannedAfter reports whether a phase after the given one has an open plan. Such a plan shows that people have left the given phase
// behind, although the roadmap still shows it as open.
func plannedAfter(s *diagnosis, i int) bool {
	return slices.ContainsFunc(s.phases[i+1:], func(ph *phase) bool { return s.firstOpen(ph) != nil })
}

// wentOn reports whether STATE.md shows that people have left a phase behind: it names a later phase, or says that this phase has ended.
// There must also be a later phase that is not done. The roadmap is not enough to tell, because people often leave the box of a finished
// phase open.
func wentOn(s *diagnosis, i int) bool {
	st := &s.state
	if !st.OK || st.phase == "" || !slices.ContainsFunc(s.phases[i+1:], s.unfinished) {
		return false
	}
	at := sources.NaturalOrder(st.phase, s.phases[i].number)
	return at > 0 || at == 0 && st.ended
}

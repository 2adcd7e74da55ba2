package planning

import (
	"slices"

	"github.com/git-resume/git-resume/internal/sources"
)

// position returns the phase that STATE.md names as the current one, if work can continue there. The phase must have an open plan, or have
// no plans and not be closed. It may also be missing in the roadmap and on disk, if it comes after the last finished phase: people note
// such a phase only in STATE.md. If STATE.md is older than the last summary, position returns nil, because people then worked without
// updating the file. If there is no summary at all, see laterPhase.
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
	s.View.Date(s.Ctx, s.Tree, st.Path, last.summary)
	noted, _ := s.View.Written(s.Ctx, s.Tree, st.Path)
	if done, _ := s.View.Written(s.Ctx, s.Tree, last.summary); noted.Before(done) {
		return nil
	}
	return ph
}

// laterPhase returns the phase that STATE.md names, in a project whose plans have no summaries. In such a project, only STATE.md can show
// that the earlier phases are over.
//
// The phase must have an open plan, and phases before it must have plans too. After the last commit of these earlier plans, work must have
// been committed, and that last commit must not be older than proofTime. Otherwise laterPhase returns nil. The argument "ph" is the phase
// that STATE.md names.
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

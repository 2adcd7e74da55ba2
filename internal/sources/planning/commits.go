package planning

import (
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/internal/commitlog"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// scopedPlan matches the subject of a commit that carries out a part of a plan, such as "feat(01-02): parse the list", and captures the
// type of the commit ("feat") and the id of the plan ("01-02").
var scopedPlan = textdoc.NewForm(`^([A-Za-z]+)\(([0-9]+(?:\.[0-9]+)?-[0-9]+)\)!?:`)

// namesPlan reports whether the subject of a commit names a plan, and not only a phase.
func namesPlan(subject string) bool { return scopedPlan.FindStringSubmatch(subject) != nil }

// scopedPhase matches the subject of a commit that carries out a part of a phase, such as "feat(phase-1): add the list" or
// "feat(01-setup): add the list". It captures the type of the commit and the number of the phase.
var scopedPhase = textdoc.NewForm(`(?i)^([A-Za-z]+)\((?:phase[ _-]?)?([0-9]+(?:\.[0-9]+)?)(?:-[a-z][^()]*)?\)!?:`)

// proofTime is the age up to which a plan is compared with commits, so that git is not asked about old projects.
const proofTime = 30 * 24 * time.Hour

// underWay finds the open plan that people are working on, and the newest commit for it. A plan is open if it has no summary. The commit
// must be on the checked out branch, name the plan in its subject, and carry out a part of it. If no plan of a phase has a summary, a
// commit that names the phase counts for the first open plan of that phase.
//
// underWay returns nil if there is no such commit. It also returns nil if a newer commit shows that people work on something else: this
// commit names a plan that already has a summary, or a phase without an open plan.
func underWay(s *diagnosis) (*planFile, commitlog.Commit) {
	var since time.Time
	for _, u := range openPlans(s) {
		written, by := s.View.Written(s.Ctx, s.Tree, u.path)
		if by == "commit" && s.View.Now.Sub(written) <= proofTime && (since.IsZero() || written.Before(since)) {
			since = written
		}
	}
	if since.IsZero() {
		return nil, commitlog.Commit{}
	}
	for c := range commitsSince(s.Reading, since) {
		kind, u := namedBy(c.Subject, s)
		if kind == "" {
			continue
		}
		switch {
		case u.done():
			return nil, commitlog.Commit{}
		case strings.EqualFold(kind, "docs") || strings.EqualFold(kind, "plan"):
			continue
		case u == nil && !namesPlan(c.Subject):
			return nil, commitlog.Commit{}
		case u == nil || u.path == "":
			continue
		}
		if written, by := s.View.Written(s.Ctx, s.Tree, u.path); by == "commit" && !c.When.Before(written) {
			return u, c
		}
	}
	return nil, commitlog.Commit{}
}

// phaseNamedLast returns the phase that the newest commit names, as in "docs(08): research", if the phase has no plans and is still open.
// Commits that are not newer than STATE.md do not count. It returns nil if there is no such phase.
func phaseNamedLast(s *diagnosis) *phase {
	id, since := s.View.NewestCommit(s.Ctx, s.Tree, s.state.Path)
	if id == "" || s.View.Now.Sub(since) > proofTime {
		return nil
	}
	for c := range commitsSince(s.Reading, since) {
		m := scopedPhase.FindStringSubmatch(c.Subject)
		if m == nil {
			continue
		}
		if ph := s.phaseOf(m[2]); ph != nil && len(ph.plans) == 0 && s.unfinished(ph) {
			return ph
		}
		return nil
	}
	return nil
}

// commitsSince yields the commits of the checked out branch that are newer than a time, newest first.
func commitsSince(s sources.Reading, since time.Time) iter.Seq[commitlog.Commit] {
	h := s.View.Recent.History(s.Ctx, since)
	here := h.Within(s.View.Head(s.Ctx, s.Tree))
	return func(yield func(commitlog.Commit) bool) {
		for c := range h.Newer(since) {
			if here(c.ID) && !yield(c) {
				return
			}
		}
	}
}

// namedBy reads the subject of a commit. It returns the type of the commit, such as "feat", and the plan that the subject names. If the
// subject names only a phase, the result u is the open plan with which that phase continues.
//
// The type is "" if the subject names neither a plan nor a known phase. It is also "" if the subject names a phase that has a finished
// plan, because the commit may be for that plan. The plan u is nil if no plan has the named id, or if the named phase has no open plan.
func namedBy(subject string, s *diagnosis) (kind string, u *planFile) {
	if m := scopedPlan.FindStringSubmatch(subject); m != nil {
		return m[1], s.find(m[2])
	}
	m := scopedPhase.FindStringSubmatch(subject)
	if m == nil {
		return "", nil
	}
	ph := s.phaseOf(m[2])
	if _, named := s.roadmap.at(m[2]); ph == nil && !named || ph != nil && slices.ContainsFunc(ph.plans, (*planFile).done) {
		return "", nil
	}
	return m[1], s.firstOpen(ph)
}

// openPlans returns the plans without a summary.
func openPlans(s *diagnosis) (out []*planFile) {
	var paths []string
	for _, ph := range s.phases {
		for _, u := range ph.plans {
			if !u.done() && u.path != "" {
				out, paths = append(out, u), append(paths, u.path)
			}
		}
	}
	s.View.Date(s.Ctx, s.Tree, paths...)
	return out
}

// plannedSince looks for an open plan that was written after a pause note and belongs to a later phase than the note. Such a plan shows
// that people went on without coming back to the note. It returns the number of the plan's phase, or "" if there is no such plan.
func plannedSince(s *diagnosis, n *pause, ph *phase) string {
	var plans []*planFile
	paths := []string{n.path}
	for _, later := range s.phases[slices.Index(s.phases, ph)+1:] {
		if u := s.firstOpen(later); u != nil && u.path != "" {
			plans, paths = append(plans, u), append(paths, u.path)
		}
	}
	if len(plans) == 0 {
		return ""
	}
	s.View.Date(s.Ctx, s.Tree, paths...)
	noted, _ := s.View.Written(s.Ctx, s.Tree, n.path)
	for _, u := range plans {
		if written, _ := s.View.Written(s.Ctx, s.Tree, u.path); written.After(noted) {
			return u.phase.number
		}
	}
	return ""
}

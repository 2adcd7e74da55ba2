package planning

import (
	"path"
	"slices"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/planfolder"
)

const (
	name   = "planning"
	folder = ".planning"
)

type project struct {
	planfolder.Folder

	state   stateFile
	roadmap roadmap
	phases  []*phase // in natural order, so that 2 comes before 10
	quick   *phase   // small tasks that belong to no phase
	pauses  []pause
}

// phase is a folder of plans, or a phase that exists only in the roadmap.
type phase struct {
	number string
	dir    string // empty if there is no folder yet
	plans  []*planFile
}

// planFile is one plan, with its summary if there is one.
type planFile struct {
	id      string
	phase   *phase
	path    string // empty if only a summary exists
	summary string
	torn    bool   // the summary file exists, but is empty
	said    string // the file which says that the plan is complete, although there is no summary; empty if none does
	doc     planfolder.PlanDoc
}

// pause is a note in which a worker describes where the next worker should continue.
type pause struct {
	path   string
	phase  string
	plan   string
	task   string
	of     string
	status string
	at     string
}

// The method before() reports whether the note is older than another note. A note without a readable time counts as the oldest.
func (n *pause) before(other *pause) bool {
	a, _, _ := sources.ParseTime(n.at)
	b, _, _ := sources.ParseTime(other.at)
	return a.Before(b)
}

func (p *project) empty() bool {
	return !p.state.There && !p.roadmap.there && len(p.phases) == 0 && len(p.quick.plans) == 0 && len(p.pauses) == 0 &&
		!p.Agents.Marked && !p.Tree.Has(p.Agents.HistoryPath) && len(p.Doubts) == 0
}

// done reports whether the plan has a non-empty summary, or whether STATE.md or ROADMAP.md says that it is complete.
func (u *planFile) done() bool { return u != nil && (u.said != "" || u.summary != "" && !u.torn) }

func (p *project) phaseOf(number string) *phase {
	return planfolder.Find(p.phases, number, func(ph *phase) string { return ph.number })
}

// find looks up a plan by its id, and returns nil if there is none. It ignores leading zeros, so 8-3 finds 08-03.
func (p *project) find(id string) *planFile {
	for _, ph := range append(slices.Clone(p.phases), p.quick) {
		if u := planfolder.Find(ph.plans, id, func(u *planFile) string { return u.id }); u != nil {
			return u
		}
	}
	return nil
}

func (ph *phase) label() string {
	if ph.dir == "" {
		return ph.number
	}
	return path.Base(ph.dir)
}

package autoclaude

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// read reads the files of one spec, and finds its branch, its worktree and its base.
func (l *projectFiles) read(ctx context.Context, s *spec) *reading {
	r := &reading{spec: s, artefact: map[string]bool{}}
	l.findSite(r)
	own := r.ownFolders()
	l.readPlans(r, own)
	if r.plan == nil {
		l.readOld(ctx, r)
	}
	r.readMemory(l, own)
	r.readMarks(l)
	r.base = l.git.baseOf(ctx, r, own)
	return r
}

// ownFolders returns the spec's folders in the main worktree and in the spec's own worktree. If there are none, it returns the folders in
// other worktrees, which usually contain old copies.
func (r *reading) ownFolders() []folder {
	var own []folder
	for _, f := range r.folders {
		if f.tree.Main() || r.site.tree != nil && f.tree.WorkTree == r.site.tree.WorkTree {
			own = append(own, f)
		}
	}
	if len(own) == 0 {
		own = r.folders
	}
	return own
}

func (l *projectFiles) readPlans(r *reading, own []folder) {
	var bad []planCopy
	for _, f := range own {
		c := l.planIn(f)
		switch {
		case c.err == nil:
			r.live = append(r.live, c)
		case !errors.Is(c.err, fs.ErrNotExist):
			bad = append(bad, c)
		}
	}
	slices.SortStableFunc(r.live, compareCopies)
	for _, f := range r.strays {
		c := l.planIn(f)
		if c.err != nil {
			bad = append(bad, c)
			continue
		}
		r.addStray(c)
	}
	r.place = firstFolder(r, own)
	r.missing = len(r.live)+len(bad) == 0
	for _, c := range bad {
		r.doubts = append(r.doubts, sources.DoubtOf(c.err, c.file(planFile)))
	}
	if len(r.live) > 0 {
		r.plan = r.live[0].plan
		if len(bad) > 0 {
			r.doubts = append(r.doubts, doubt(sources.DoubtFallback, conflicts.Warning, "the plan was read in "+r.live[0].where()+" instead"))
		}
		r.reportDifferences()
	}
	r.live = append(r.live, bad...)
}

// firstFolder returns the folder of the best plan, otherwise the first of the given folders, otherwise the project folder that contains a
// plan file, otherwise an empty folder.
func firstFolder(r *reading, own []folder) folder {
	switch {
	case len(r.live) > 0:
		return r.live[0].folder
	case len(own) > 0:
		return own[0]
	case len(r.strays) > 0:
		return r.strays[0]
	}
	return folder{}
}

// compareCopies orders two copies of a plan, the better one first. It prefers more finished items, then a later update, and then a linked
// worktree, where Auto-Claude builds.
func compareCopies(a, b planCopy) int {
	_, x, _, _ := a.plan.count()
	_, y, _, _ := b.plan.count()
	if x != y {
		return y - x
	}
	if c := b.plan.updated.at.Compare(a.plan.updated.at); c != 0 {
		return c
	}
	if a.tree.Main() != b.tree.Main() {
		if a.tree.Main() {
			return 1
		}
		return -1
	}
	return 0
}

// reportDifferences warns about copies of the plan that differ from the best copy in the states of items or in the quality check.
func (r *reading) reportDifferences() {
	first := r.live[0]
	for _, c := range r.live[1:] {
		if string(c.data) == string(first.data) || sameStates(c.plan, first.plan) {
			continue
		}
		severity := conflicts.Info // not a warning: during a build, the plan in the linked worktree is normally ahead of its copies
		if first.tree.Main() {
			severity = conflicts.Warning
		}
		all, done, _, _ := first.plan.count()
		all2, done2, _, _ := c.plan.count()
		text := fmt.Sprintf("%s says %d of %d are done, but %s says %d of %d; %[1]s is used", first.where(), done, all, c.where(), done2, all2)
		if done == done2 && all == all2 {
			text = fmt.Sprintf("the plans in %s and %s have different statuses; %[1]s is used", first.where(), c.where())
		}
		r.doubts = append(r.doubts, doubt(sources.DoubtCopies, severity, text))
	}
}

func sameStates(a, b *plan) bool {
	states := func(p *plan) (out []string) {
		for it := range p.all() {
			out = append(out, it.id+" "+string(it.state))
		}
		return append(out, fmt.Sprint(p.signoff.verdict))
	}
	return slices.Equal(states(a), states(b))
}

// addStray adds a plan file that was found at the top of a project. If the spec has no other plan, this file is its plan. Otherwise
// addStray warns if the two plans disagree about the result of the quality check.
func (r *reading) addStray(c planCopy) {
	if len(r.live) == 0 {
		r.live = append(r.live, c)
		return
	}
	if own := r.live[0].plan; c.plan.signoff.verdict != own.signoff.verdict {
		r.doubts = append(r.doubts, sources.Doubt{Code: sources.DoubtDiscrepancy, Severity: conflicts.Info, Path: c.file(planFile),
			Text: fmt.Sprintf("%s says %s about the quality check, but the plan in the spec's folder says %s; the plan in the folder is used", c.file(planFile), c.plan.signoff.said(), own.signoff.said())})
	}
}

// readOld looks for a readable plan in the history of the spec's folders. If there is no history, and no worktree has the spec's branch
// checked out, it searches the history of that branch.
func (l *projectFiles) readOld(ctx context.Context, r *reading) {
	if r.missing && !r.hasMemory() && r.tip == "" {
		return // nothing shows that there ever was a plan
	}
	var all []sources.Version
	for _, f := range append(slices.Clone(r.folders), r.strays...) {
		if len(all) == 0 {
			all = l.history(ctx, f.tree, f.file(planFile))
		}
	}
	if len(all) == 0 && r.tip != "" && r.site.tree == nil {
		for _, root := range roots {
			if len(all) == 0 {
				all, _ = l.v.HistoryOf(ctx, r.branch, path.Join(r.project+root, r.id, planFile), mostVersions) // an error counts as an empty history
			}
		}
	}
	for _, old := range all {
		p, err := parsePlan(old.Data, l.v.Now)
		if err != nil {
			continue
		}
		r.plan, r.version = p, &old
		r.doubts = append(r.doubts, doubt(sources.DoubtFallback, conflicts.Warning, fmt.Sprintf("the plan was read from commit %s of %s instead", short(old.Commit), l.v.Shown(old.When))))
		return
	}
}

// readMemory reads the files next to the plan. If a file is missing or damaged, it reads that file in another copy of the spec's folder.
// It also notes which planning steps have left a file, and whether a pause file exists.
func (r *reading) readMemory(l *projectFiles, own []folder) {
	order := slices.DeleteFunc(slices.Clone(own), func(f folder) bool { return f.path == "" || f == r.place })
	if r.place.path != "" {
		order = slices.Insert(order, 0, r.place)
	}
	beside := func(name string, parse func([]byte) error) {
		for _, f := range order {
			if !f.has(name) {
				continue
			}
			data, err := f.read(name)
			if err == nil {
				err = parse(data)
			}
			if err == nil {
				return
			}
			r.doubts = append(r.doubts, sources.DoubtOf(err, f.file(name)))
		}
	}
	if !r.finishedAndClosed() { // the records of a finished and closed spec do not matter
		r.readRecords(l, beside)
	}
	for _, f := range order {
		for _, s := range steps {
			r.artefact[s.name] = r.artefact[s.name] || f.has(s.file)
		}
		if f.has(pauseFile) {
			r.paused = f.file(pauseFile)
		}
	}
	if r.place.path != "" {
		r.artefact["discovery"] = r.artefact["discovery"] || r.place.tree.Has(path.Join(path.Dir(path.Dir(r.place.path)), "project_index.json"))
	}
}

func (r *reading) readRecords(l *projectFiles, beside func(string, func([]byte) error)) {
	beside(historyFile, func(data []byte) (err error) { r.history, err = parseHistory(data, l.v.Now); return err })
	beside(commitsFile, func(data []byte) (err error) { r.commits, err = parseCommits(data, l.v.Now); return err })
	beside(workersFile, func(data []byte) error { r.pids = workers(data); return nil })
}

// readMarks chooses the newest status file that names the spec. If this file has a process id, readMarks adds the id to the spec's process
// ids. In a repository with several worktrees, it considers only status files in the main worktree and in the spec's own worktree.
func (r *reading) readMarks(l *projectFiles) {
	for _, m := range r.marks {
		if !m.tree.Main() && (r.site.tree == nil || m.tree.WorkTree != r.site.tree.WorkTree) && len(l.v.Trees) > 1 {
			continue
		}
		if r.mark == nil || m.updated.at.After(r.mark.updated.at) {
			r.mark = &m
		}
	}
	if r.mark != nil && r.mark.pid > 1 {
		r.pids = append(r.pids, r.mark.pid)
	}
}

package autoclaude

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/worktree"
)

// evidence looks up the commits of the specs. Specs with the same base share one walk through the history.
func (g *git) evidence(ctx context.Context, all []*reading) {
	g.blocked = map[string]bool{}
	for _, family := range families {
		g.blocked[family] = g.exists(ctx, refs.Branch(family))
		if !g.blocked[family] {
			delete(g.blocked, family)
		}
	}
	for _, reg := range g.v.Registered {
		if reg.Missing {
			g.gone = append(g.gone, reg)
		}
	}
	bases := map[refs.Name][]*reading{}
	var order []refs.Name
	for _, r := range all {
		if r.finishedAndClosed() || r.tip == "" && len(r.commits.list) == 0 && r.commits.good == "" {
			continue
		}
		if bases[r.base] == nil {
			order = append(order, r.base)
		}
		bases[r.base] = append(bases[r.base], r)
	}
	for _, base := range order {
		if err := g.walk(ctx, base, bases[base]); err != nil {
			for _, r := range bases[base] {
				r.doubts = append(r.doubts, doubt(sources.DoubtMissing, conflicts.Info, "the commits could not be read: "+firstLine(err.Error())))
			}
		}
	}
	g.findOnCurrent(ctx, all)
}

// walk lists the commits that several specs have on top of their common base, and assigns each commit to its spec.
func (g *git) walk(ctx context.Context, base refs.Name, specs []*reading) error {
	var at object.ID
	var err error
	if base != "" {
		if at, err = g.v.Repo.Refs.Ref(ctx, base); err != nil {
			return err
		}
	}
	there := map[string]object.ID{}
	var tips []object.ID
	for _, r := range specs {
		if r.tip != "" {
			tips = append(tips, r.tip)
		}
		for _, h := range r.commits.hashes() {
			if _, asked := there[h]; asked {
				continue
			}
			there[h] = g.commit(ctx, h)
			if there[h] != "" {
				tips = append(tips, there[h])
			}
		}
	}
	var beyond []past.Step
	if len(tips) > 0 {
		if beyond, err = past.Beyond(ctx, g.v.Repo, at, mostCommits, tips...); err != nil {
			return err
		}
		if len(beyond) == mostCommits {
			return fmt.Errorf("there are more than %d commits", mostCommits)
		}
	}
	byID := map[object.ID]past.Step{}
	for _, s := range beyond {
		byID[s.ID] = s
	}
	for _, r := range specs {
		r.findCommits(byID, there)
		g.checkMerged(ctx, r)
		r.findLast(beyond)
		g.findStart(ctx, r, at)
	}
	return nil
}

// findOnCurrent finds, for each spec without a branch, the item that is named by the last commit that changed the plan. If the plan still
// shows this item as open, the commit proves that the item is done. Other commits prove nothing, because different specs use the same item
// ids.
func (g *git) findOnCurrent(ctx context.Context, all []*reading) {
	for _, r := range all {
		if r.tip != "" || r.plan == nil || r.place.path == "" {
			continue
		}
		if items, finished, _, _ := r.plan.count(); finished == items || !r.buildStarted() {
			continue
		}
		file := r.place.file(planFile)
		c, ok := g.v.LastCommits(ctx, r.place.tree, file)[file]
		if !ok {
			continue
		}
		id := itemIn(c.Subject)
		for it := range r.plan.all() {
			if it.own != id || it.finished() {
				continue
			}
			r.proof.asked = true
			if r.proof.byItem == nil {
				r.proof.byItem = map[string]object.ID{}
			}
			r.proof.byItem[id], r.proof.onCurrent = c.ID, map[string]object.ID{id: c.ID}
		}
	}
}

// checkMerged finds out whether the base has all of a branch. If all its commits are in the base, either the branch was merged, or it has no
// work yet: it counts as merged if the commit at its tip names an item of Auto-Claude. If a finished spec has commits of its own, a squash
// or a cherry-pick may have made others of them.
func (g *git) checkMerged(ctx context.Context, r *reading) {
	if r.tip == "" || r.proof.merged {
		return
	}
	if r.proof.ahead > 0 {
		base, err := g.v.Repo.Refs.Ref(ctx, r.base)
		if r.plan == nil || len(r.proof.changed) == 0 || base == "" || err != nil {
			return
		}
		if items, finished, _, _ := r.plan.count(); finished < items {
			return
		}
		if how, err := worktree.Contained(ctx, g.v.Repo, r.tip, base); err == nil && how != worktree.NotContained {
			r.proof.merged, r.proof.ahead = true, 0
		}
		return
	}
	if c, err := g.v.Repo.Objects.Commit(ctx, string(r.tip)); err == nil {
		r.proof.merged = itemIn(c.Subject()) != ""
	}
}

// commit returns the full id of a recorded commit, or "" if it cannot be read here, for example because it was made in another clone.
func (g *git) commit(ctx context.Context, h string) object.ID {
	c, err := g.v.Repo.Objects.Commit(ctx, h)
	if err != nil {
		return ""
	}
	return c.ID
}

// findCommits fills in the facts about a spec that its branch and its recorded commits show.
func (r *reading) findCommits(beyond map[object.ID]past.Step, there map[string]object.ID) {
	p := proof{asked: true, changed: map[string]bool{}}
	mine, subjects := map[object.ID]bool{}, map[string]object.ID{}
	var edge []object.ID
	for todo := []object.ID{r.tip}; len(todo) > 0; todo = todo[1:] {
		s, ok := beyond[todo[0]]
		switch {
		case !ok && todo[0] != "":
			edge = append(edge, todo[0])
		case ok && !mine[s.ID]:
			mine[s.ID] = true
			todo = append(todo, s.Parents...)
			for _, path := range s.Paths {
				p.changed[path] = true
			}
			if id := itemIn(s.Subject); id != "" && subjects[id] == "" {
				subjects[id] = s.ID
			}
		}
	}
	slices.Sort(edge)
	if edge = slices.Compact(edge); len(edge) == 1 {
		p.start = edge[0]
	}
	p.ahead, p.byItem = len(mine), maps.Clone(subjects)
	for _, rec := range r.commits.list {
		at, asked := there[rec.hash]
		_, ahead := beyond[at]
		switch {
		case !asked: // this record was not looked up, because there are too many records
		case at != "" && (mine[at] || !ahead):
			p.byItem[rec.id] = at
			p.merged = p.merged || !ahead
		default:
			p.lost++
			if subjects[rec.id] != "" {
				p.found++
			}
		}
	}
	if good := there[r.commits.good]; good != "" {
		if s, ok := beyond[good]; ok && mine[good] {
			p.last = s.Logged
		}
	}
	r.proof = p
}

// findStart sets the start of a branch, if it is not known yet, to the merge base with the base branch. If the last commit of the spec is
// not known either, the start is used as the last commit.
func (g *git) findStart(ctx context.Context, r *reading, base object.ID) {
	if r.tip == "" || base == "" || r.proof.start != "" {
		return
	}
	if all, err := past.MergeBases(ctx, g.v.Repo, base, r.tip); err == nil && len(all) > 0 {
		r.proof.start = all[0]
	}
	if r.proof.last.ID == "" {
		r.proof.last.ID = r.proof.start
	}
}

// findLast sets the last commit of the spec. This is the newest commit of one of its items, or the last commit that Auto-Claude considered
// good, whichever is newer. If there is neither, findLast uses the start of the branch.
func (r *reading) findLast(newestFirst []past.Step) {
	p := &r.proof
	named := map[object.ID]bool{}
	for _, id := range p.byItem {
		named[id] = true
	}
	for _, s := range newestFirst {
		if named[s.ID] && s.When.After(p.last.When) {
			p.last = s.Logged
		}
	}
	if p.last.ID == "" && r.tip != "" {
		p.last.ID = p.start
	}
}

// comparePlan sets the commit of each task, and reports contradictions between the plan and the commits.
func (g *git) comparePlan(ctx context.Context, r *reading, tasks []sources.Task) []sources.Doubt {
	if !r.proof.asked {
		return nil
	}
	var doubts []sources.Doubt
	var unmarked, bare []string
	for i := range tasks {
		t := &tasks[i]
		own := t.ID
		if it, ok := r.plan.find(t.ID); ok {
			own = it.own
		}
		t.Commit = r.proof.byItem[own]
		switch {
		case t.Commit != "" && t.State != checkpoint.Done && t.State != checkpoint.Skipped:
			unmarked = append(unmarked, fmt.Sprintf("%s (%s)", t.ID, short(t.Commit)))
			t.Evidence = "plan; commit " + short(t.Commit) + " was made for the task"
		case t.Commit != "":
			t.Evidence = "plan and commit " + short(t.Commit)
		case t.State == checkpoint.Done:
			bare = append(bare, t.ID)
		}
	}
	if len(unmarked) > 0 {
		doubts = append(doubts, doubt(sources.DoubtNotMarked, conflicts.Warning, "committed, but not marked as completed: "+sources.SomeOf(unmarked)))
	}
	if bare = g.withoutChanges(ctx, r, tasks, bare); len(bare) > 0 {
		doubts = append(doubts, doubt(sources.DoubtNoEvidence, conflicts.Info, "completed, but no commit or change proves it: "+sources.SomeOf(bare)))
	}
	if r.proof.lost > 0 {
		text := fmt.Sprintf("%d of %s neither on its branch nor in its base", r.proof.lost, sources.Count(len(r.commits.list), "recorded commit is", "recorded commits are"))
		if r.proof.found > 0 {
			text += fmt.Sprintf("; for %d of them, another commit names the same item", r.proof.found)
		}
		doubts = append(doubts, doubt(DoubtCommitGone, conflicts.Info, text))
	}
	return doubts
}

// withoutChanges returns the given items for which neither a commit nor an uncommitted file shows a change. It returns nothing if the
// spec has no branch or is merged, or if the uncommitted files are not known.
func (g *git) withoutChanges(ctx context.Context, r *reading, tasks []sources.Task, ids []string) []string {
	if len(ids) == 0 || r.tip == "" || r.proof.merged {
		return nil
	}
	var out []string
	for _, t := range tasks {
		if slices.Contains(ids, t.ID) && !slices.ContainsFunc(t.Files, func(f string) bool { return r.proof.changed[f] }) {
			out = append(out, t.ID)
		}
	}
	if len(out) == 0 || r.site.tree == nil {
		return out
	}
	changed, ok := g.uncommitted(ctx, r)
	if !ok {
		return nil
	}
	return slices.DeleteFunc(out, func(id string) bool {
		it, _ := r.plan.find(id)
		return slices.ContainsFunc(it.files, func(f string) bool { return changed[f] })
	})
}

// mostStatus limits how often the method "uncommitted" may list files during one search, because git status costs a process.
const mostStatus = 3

func (g *git) uncommitted(ctx context.Context, r *reading) (map[string]bool, bool) {
	if g.asked++; g.asked > mostStatus {
		return nil, false
	}
	status, err := g.v.Uncommitted(ctx, *r.site.tree)
	changed := map[string]bool{}
	for _, c := range status {
		changed[c.Path] = true
	}
	return changed, err == nil
}

package superpowers

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/gitstate/store"
	"github.com/git-resume/git-resume/internal/commitlog"
	"github.com/git-resume/git-resume/internal/sources"
)

// These limits restrict what git is asked. The recent commits are known for 90 days; a plan that is older needs a longer look.
const (
	window      = 90 * 24 * time.Hour
	oldest      = 400 * 24 * time.Hour
	before      = 30 * 24 * time.Hour // how much history before an old plan is read, to see what was there already
	mostCommits = 4000
	mostTouches = 2000
	mostPaths   = 500
)

// proof is what commits show about a plan.
type proof struct {
	log commitlog.History
	// added is the time since which commits count, and by the commit that added the plan, if it is known.
	added time.Time
	by    object.ID
	// versions are the committed contents of the plan, the oldest first.
	versions []version
	// commits has for each folded subject the newest commit that counts.
	commits map[string]commitlog.Commit
	// touched maps the files of the plan to the newest commit that changed them, and made to the commit that added them. Both count since
	// the plan was added. The field since has all commits that changed one of its files.
	touched, made map[string]object.ID
	since         map[object.ID]bool
	// merged is the commit that merged the branch of the work, if no worktree has that branch any more.
	merged *commitlog.Commit
}

// version is a committed content of a plan.
type version struct {
	when time.Time
	blob object.ID
}

// dateOf returns the date with which the name of a plan begins.
func dateOf(file string) (time.Time, bool) {
	name := path.Base(file)
	if len(name) < len("2026-01-15") {
		return time.Time{}, false
	}
	when, err := time.Parse("2006-01-02", name[:len("2026-01-15")])
	return when, err == nil
}

// wrote returns about when the plan was written, without asking git.
func (w *work) wrote() time.Time {
	if when, ok := dateOf(w.path); ok {
		return when
	}
	return w.Tree.Changed(w.path)
}

// prove collects the evidence for all plans. It reads one log for all of them, and asks once in each worktree which commits changed their
// files.
func prove(ctx context.Context, v *sources.View, all []*work) {
	log := logFor(ctx, v, all)
	wanted := map[string]bool{}
	for _, w := range all {
		for _, t := range w.plan.tasks {
			for _, s := range t.subjects {
				wanted[s] = true
			}
		}
	}
	subjects := log.Subjects(wanted)
	heads := map[string]object.ID{}
	var tips []object.ID
	for _, t := range v.Trees {
		heads[t.WorkTree] = v.Head(ctx, t)
		tips = append(tips, heads[t.WorkTree])
	}
	here := log.Within(tips...)
	byTree := map[string][]*work{}
	for _, w := range all {
		w.log = log
		w.settle(subjects, here, heads)
		byTree[w.site.WorkTree] = append(byTree[w.site.WorkTree], w)
	}
	for _, same := range byTree {
		touch(ctx, v, same)
	}
	for _, w := range all {
		w.count(subjects, here)
		w.findMerge(heads)
	}
}

// logFor returns the recent commits. Where an unfinished plan is older than these, it asks git for older commits too.
func logFor(ctx context.Context, v *sources.View, all []*work) commitlog.History {
	since := v.Now
	for _, w := range all {
		if when := w.wrote(); !w.allTicked() && !when.IsZero() && when.Add(-before).Before(since) {
			since = when.Add(-before)
		}
	}
	if !since.Before(v.Now.Add(-window)) {
		return v.Recent.History(ctx, since)
	}
	if limit := v.Now.Add(-oldest); since.Before(limit) {
		since = limit
	}
	var tips []object.ID
	for _, t := range v.Trees {
		if at := v.Head(ctx, t); t.Branch == "" && at != "" {
			tips = append(tips, at)
		}
	}
	git, err := past.OpenMessages(ctx, v.Repo, tips...)
	if err != nil {
		return commitlog.History{} // the plan is judged by its files alone
	}
	defer git.Close()
	var commits []past.Described
	for len(commits) < mostCommits {
		c, err := git.Next()
		if err != nil || c.When.Before(since) {
			break
		}
		commits = append(commits, c)
	}
	return commitlog.NewHistory(commits)
}

func (w *work) allTicked() bool {
	return !slices.ContainsFunc(w.plan.tasks, func(t task) bool { return t.boxes == 0 || t.ticked < t.boxes })
}

// settle finds out in which worktree the plan is carried out: the one with its ledger, else the one that has the newest of its commits. If
// only a branch has them, that branch is kept.
func (w *work) settle(subjects map[string][]commitlog.Commit, here func(object.ID) bool, heads map[string]object.ID) {
	if w.record != nil {
		return
	}
	var newest, elsewhere commitlog.Commit
	for _, t := range w.plan.tasks {
		for _, s := range t.subjects {
			for _, c := range subjects[s] {
				to := &elsewhere
				if here(c.ID) {
					to = &newest
				}
				if c.When.After(to.When) && !c.When.Before(w.wrote()) {
					*to = c
				}
			}
		}
	}
	if newest.ID == "" {
		w.branch = w.branchWith(elsewhere.ID)
		return
	}
	has := func(t sources.Tree) bool { return w.log.Within(heads[t.WorkTree])(newest.ID) }
	if has(w.Tree) {
		return
	}
	if i := slices.IndexFunc(w.View.Trees, has); i >= 0 {
		w.site = w.View.Trees[i]
	}
}

// branchWith returns a branch that has a commit, or "".
func (w *work) branchWith(id object.ID) string {
	if id == "" {
		return ""
	}
	tips, err := w.View.Repo.Refs.List(w.Ctx, "refs/heads/")
	if err != nil {
		return ""
	}
	var names []string
	for name, tip := range tips {
		if w.log.Within(tip)(id) {
			names = append(names, refs.Short(name))
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return names[0]
}

// touch asks git which commits changed the plans and the files that they name, in the history of one worktree.
func touch(ctx context.Context, v *sources.View, all []*work) {
	var paths []string
	for _, w := range all {
		if w.gone {
			continue
		}
		paths = append(paths, w.path)
		for _, t := range w.plan.tasks {
			if len(paths) < mostPaths && !w.allTicked() {
				paths = append(paths, t.files...)
			}
		}
	}
	if len(paths) == 0 {
		return
	}
	added := func(_ *past.Touch, d *past.Delta) bool { return d.Letter == 'A' } // before that, there was no such file
	touches := v.Touches(ctx, all[0].site, v.Now.Add(-window), mostTouches, added, paths...)
	for _, w := range all {
		w.date(touches)
	}
}

// date finds out when the plan was added, and what happened to its files since.
func (w *work) date(touches []past.Touch) {
	own := map[string]bool{}
	for _, t := range w.plan.tasks {
		for _, f := range t.files {
			own[f] = true
		}
	}
	w.touched, w.made, w.since = map[string]object.ID{}, map[string]object.ID{}, map[object.ID]bool{}
	for i := len(touches) - 1; i >= 0; i-- { // from old to new, because the plan comes before its files
		t := &touches[i]
		for _, d := range t.Changes {
			if d.Path == w.path {
				w.versions = append(w.versions, version{t.Made, d.New.ID})
			}
			switch {
			case d.Path == w.path && d.Letter == 'A' && w.by == "":
				w.added, w.by = t.Made, t.ID
			case !own[d.Path] || t.ID == w.by:
			case w.by == "" && t.Made.Before(w.wrote()):
			default:
				if w.touched[d.Path], w.since[t.ID] = t.ID, true; d.Letter == 'A' {
					w.made[d.Path] = t.ID
				}
			}
		}
	}
	if w.by == "" {
		w.added = w.wrote()
	}
}

// count keeps for each subject the newest commit since the plan was added. Commits on a branch that no worktree has count only if no
// worktree has any of the plan's.
func (w *work) count(subjects map[string][]commitlog.Commit, here func(object.ID) bool) {
	w.commits = map[string]commitlog.Commit{}
	for _, t := range w.plan.tasks {
		for _, s := range t.subjects {
			for _, c := range subjects[s] {
				if (here(c.ID) || w.branch != "") && !c.When.Before(w.added) {
					w.commits[s] = c
					break
				}
			}
		}
	}
}

// findMerge looks for a merge of the work's branch. While a worktree has that branch or the ledger, the work goes on.
func (w *work) findMerge(heads map[string]object.ID) {
	if w.record != nil || w.gone || w.branch != "" {
		return
	}
	var last commitlog.Commit
	for _, c := range w.commits {
		if c.When.After(last.When) {
			last = c
		}
	}
	merged := w.log.Landing(heads[w.site.WorkTree], last.ID)
	if merged == nil || merged.ID == last.ID { // a pull request for one task is no merge of the whole work
		merged, _, _ = w.log.About([]string{baseOf(w.path), slugOf(w.path)}, w.added)
	}
	if merged == nil || merged.ID == w.by || merged.ID == last.ID || len(w.commits)+len(w.since) == 0 {
		return // what was merged is the plan itself
	}
	held := func(t sources.Tree) bool {
		name := refs.Short(t.Branch)
		return t.Branch != "" && !t.Main() && strings.Contains(merged.Subject, name)
	}
	if !slices.ContainsFunc(w.View.Trees, held) {
		w.merged = merged
	}
}

// slugOf returns the name of a plan without its date.
func slugOf(file string) string {
	name := baseOf(file)
	if _, ok := dateOf(file); ok && len(name) > len("2026-01-15") {
		return strings.TrimLeft(name[len("2026-01-15"):], "-_ ")
	}
	return name
}

// allMade reports whether every file that a task creates exists, and was added to git after the plan. A file that is not in git yet is
// work in hand.
func (w *work) allMade(t *task) bool {
	for _, file := range t.created {
		if !w.site.Has(file) || w.made[file] == "" && !w.madeEarlier(file) {
			return false
		}
	}
	return len(t.created) > 0
}

// madeEarlier reports whether a file was added since the plan, but before the commits whose changes are known.
func (w *work) madeEarlier(file string) bool {
	if w.by != "" || w.touched[file] != "" || w.added.IsZero() || !w.View.Committed(w.Ctx, w.site, file) {
		return false
	}
	last := w.log.Before(w.added)
	if last == "" {
		return false // it is not known what was there before the plan
	}
	_, err := w.View.Repo.Objects.Ask(w.Ctx, string(last)+":"+file, store.Wanted{Limit: 1}) // a larger file is there too
	return errors.Is(err, object.ErrMissing)
}

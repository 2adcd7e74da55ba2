package superpowers

import (
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/gitstate/store"
	"github.com/git-resume/git-resume/internal/commitlog"
	"github.com/git-resume/git-resume/internal/sources"
)

// These limits restrict how many commits and files are read, and how far back in time the commits may be.
const (
	window      = 90 * 24 * time.Hour
	oldest      = 400 * 24 * time.Hour
	before      = 30 * 24 * time.Hour // the history is read from this long before the plan was written, because the last commit before the plan shows which files existed then
	mostCommits = 4000
	mostTouches = 2000
	mostPaths   = 500
)

// proof holds what commits show about a plan.
type proof struct {
	log commitlog.History
	// added is the time at which the plan was committed first, or the approximate time at which it was written. The field "by" is the
	// commit that added the plan, or empty if it is not known.
	added time.Time
	by    object.ID
	// versions are the committed versions of the plan, the oldest first.
	versions []version
	// commits maps each commit subject that the plan prescribes to the newest commit with that subject, or with a similar one. Commits from
	// before the plan are left out.
	commits map[string]commitlog.Commit
	// touched maps the files that the plan names to the newest commit that changed them. The map "made" has the commit that added each
	// file. Commits from before the plan are left out.
	touched, made map[string]object.ID
	// The keys of "changed" are the commits after the plan that changed files which the plan names. The values are the files that they
	// changed.
	changed map[object.ID]map[string]bool
	// early has files that the plan names. They were changed after the plan was written and before it was committed, or in the commit that
	// added the plan.
	early map[string]bool
	// code means that the commit that added the plan also changed files, other than documents, that the plan names. Otherwise the plan
	// probably was committed before the work, and what was committed earlier the same day is mostly other work.
	code bool
	// near has the planned subjects for which only a commit with nearly the same subject was found.
	near map[string]bool
	// merged is the commit that merged the work's branch. It is nil if there is none, or if the work may go on after the merge.
	merged *commitlog.Commit
}

type version struct {
	when time.Time
	blob object.ID
}

// dateOf returns the date at the start of the name of a plan's file. The second result is false if there is none.
func dateOf(file string) (time.Time, bool) {
	name := path.Base(file)
	if len(name) < len("2026-01-15") {
		return time.Time{}, false
	}
	when, err := time.Parse("2006-01-02", name[:len("2026-01-15")])
	return when, err == nil
}

// wrote returns the approximate time at which the plan was written, without starting git: the date in its name, or the modification time.
func (w *work) wrote() time.Time {
	if when, ok := dateOf(w.path); ok {
		return when
	}
	return w.Tree.Changed(w.path)
}

// prove collects the evidence from commits for all plans together, so that git is not asked for each plan.
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
	subjects, exact := subjectsIn(log, wanted)
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
		w.count(subjects, exact, here)
		w.forgetEarly()
		w.findMerge(heads)
	}
}

// logFor returns the commits that may belong to the plans. If an unfinished plan, or a plan with a ledger, is older than the recent commits,
// logFor reads older commits from git too.
func logFor(ctx context.Context, v *sources.View, all []*work) commitlog.History {
	since := v.Now
	for _, w := range all {
		if when := w.wrote(); (w.record != nil || !allTicked(w.plan.tasks)) && !when.IsZero() && when.Add(-before).Before(since) {
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
		return commitlog.History{} // without commits, plans are judged only by their files and boxes
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

func allTicked(tasks []task) bool {
	return !slices.ContainsFunc(tasks, func(t task) bool { return !t.said && (t.boxes == 0 || t.ticked < t.boxes) })
}

// settle finds the worktree in which the plan is carried out. If no worktree has the plan's commits, it finds a branch that has them. If
// the plan has a ledger or briefs, settle does nothing, because the plan is carried out in the worktree that contains these files.
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

// branchWith returns a branch that contains the commit, or "" if there is none. If several branches contain it, the result is the first of
// them in alphabetical order.
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

// touch asks git which commits in the history of one worktree changed the plans, or files that the plans name.
func touch(ctx context.Context, v *sources.View, all []*work) {
	var paths []string
	for _, w := range all {
		if w.gone {
			continue
		}
		paths = append(paths, w.path)
		for _, t := range w.plan.tasks {
			if len(paths) < mostPaths && !allTicked(w.plan.tasks) {
				paths = append(paths, t.files...)
			}
		}
	}
	if len(paths) == 0 {
		return
	}
	// the search stops at the commit that added a file, because there is no older version
	added := func(_ *past.Touch, d *past.Delta) bool { return d.Letter == 'A' }
	touches := v.Touches(ctx, all[0].site, v.Now.Add(-window), mostTouches, added, paths...)
	for _, w := range all {
		w.date(touches)
	}
}

// date finds out when the plan was added, and which commits changed its files after that.
func (w *work) date(touches []past.Touch) {
	own := map[string]bool{}
	for _, t := range w.plan.tasks {
		for _, f := range t.files {
			own[f] = true
		}
	}
	w.touched, w.made, w.changed, w.early = map[string]object.ID{}, map[string]object.ID{}, map[object.ID]map[string]bool{}, map[string]bool{}
	for i := len(touches) - 1; i >= 0; i-- { // from old to new, so that the commit that added the plan is found before later changes
		t := &touches[i]
		before := w.by == ""
		for _, d := range t.Changes {
			if d.Path != w.path {
				continue
			}
			if w.versions = append(w.versions, version{t.Made, d.New.ID}); d.Letter == 'A' && w.by == "" {
				w.added, w.by = t.Made, t.ID
			}
		}
		for _, d := range t.Changes {
			if own[d.Path] {
				w.noteChange(t, d, before)
			}
		}
	}
	switch {
	case w.by == "":
		w.added = w.wrote()
	case !w.code: // a file that was only changed before the plan says nothing; one that the plan asks for and that was added, does
		maps.DeleteFunc(w.early, func(file string, _ bool) bool { return w.made[file] == "" })
	}
}

// noteChange records that the commit t changed one of the files that the plan names. The argument "before" is true if t is the commit that
// added the plan, or an older commit, or if it is not known which commit added the plan.
func (w *work) noteChange(t *past.Touch, d past.Delta, before bool) {
	if before && t.ID != w.by && t.Made.Before(w.wrote()) {
		return
	}
	if before {
		w.early[d.Path] = true
		w.code = w.code || t.ID == w.by && !sources.IsDocument(d.Path)
	} else {
		w.touched[d.Path] = t.ID
		if w.changed[t.ID] == nil {
			w.changed[t.ID] = map[string]bool{}
		}
		w.changed[t.ID][d.Path] = true
	}
	if d.Letter == 'A' && t.ID != w.by {
		w.made[d.Path] = t.ID
	}
}

// cameWith reports whether the plan seems to have been carried out before it was committed, or in the commit that added it. A plan whose
// files are being changed is not over.
func cameWith(w *work) bool {
	for _, c := range w.commits {
		if c.When.After(w.added) {
			return false
		}
	}
	if w.by == "" || w.record != nil {
		return false
	}
	if !w.code {
		return len(w.changed) == 0 && w.doneBefore() && !w.inWork()
	}
	tasks, worked := 0, 0
	for i := range w.plan.tasks {
		t := &w.plan.tasks[i]
		if len(t.files) == 0 {
			continue
		}
		tasks++
		early := func(f string) bool { return w.early[f] }
		late := func(f string) bool { return !w.early[f] || !w.site.Has(f) }
		if len(t.created) > 0 && !slices.ContainsFunc(t.created, late) || len(t.created) == 0 && slices.ContainsFunc(t.files, early) {
			worked++
		}
	}
	const leftAtMost = 5 // at most one task in five is allowed to be open
	// If several tasks change the same few files, changes of these files prove less. Then it is also required that a pull request added the
	// plan, because a pull request usually contains the finished work too.
	return worked > 0 && (tasks-worked)*leftAtMost <= tasks && (len(w.early) >= worked || w.log.IsPull(w.by)) && !w.inWork()
}

// doneBefore reports whether commits or added files prove each task, except those that only check the others.
func (w *work) doneBefore() bool {
	some := false
	for i := range w.plan.tasks {
		t := &w.plan.tasks[i]
		_, whole := w.commitOf(t)
		if whole = whole || w.allMade(t); !whole && !t.check {
			return false
		}
		some = some || whole
	}
	return some
}

// inWork reports whether a file that the plan names has uncommitted changes.
func (w *work) inWork() bool {
	changes, err := w.View.Uncommitted(w.Ctx, w.site)
	if err != nil {
		return true // the changed files are not known, so nothing is closed
	}
	return slices.ContainsFunc(changes, func(c gitstate.Change) bool {
		return slices.ContainsFunc(w.plan.tasks, func(t task) bool { return slices.Contains(t.files, c.Path) })
	})
}

// proven reports whether the ledger, commits, files, boxes or a heading prove a task.
func (w *work) proven(t *task) bool {
	_, whole := w.commitOf(t)
	return whole || t.said || w.allMade(t) || t.boxes > 0 && t.ticked == t.boxes || w.record.entry(t.id).kind == completeEntry
}

// forgetEarly takes back the proofs from before the plan, from the first task that nothing proves on. Only a plan that was committed
// together with its code keeps them, because a single earlier commit is more likely about other work.
func (w *work) forgetEarly() {
	if w.code || w.by == "" {
		return
	}
	open := false
	for i := range w.plan.tasks {
		t := &w.plan.tasks[i]
		if open = open || !w.proven(t); !open {
			continue
		}
		for _, s := range t.subjects {
			if c, ok := w.commits[s]; ok && c.When.Before(w.added) {
				delete(w.commits, s)
			}
		}
		for _, f := range t.created {
			if w.early[f] && w.touched[f] == "" {
				delete(w.made, f)
			}
		}
	}
}

// count finds for each subject the newest commit with this subject, or with a similar one. The commit must not be older than the plan.
// It must be in the history of a worktree, unless the work is on a branch that has no worktree. The first commits of a subject, as many as
// the map "exact" says, have exactly this subject.
func (w *work) count(subjects map[string][]commitlog.Commit, exact map[string]int, here func(object.ID) bool) {
	w.commits, w.near = map[string]commitlog.Commit{}, map[string]bool{}
	from := w.added
	// The plan may have been committed only together with its last task. So if the date in its name is earlier, that date is used.
	if when, ok := dateOf(w.path); ok && when.Before(from) {
		from = when
	}
	for _, t := range w.plan.tasks {
		for _, s := range t.subjects {
			for i, c := range subjects[s] {
				near := i >= exact[s]
				since := from
				if near && !w.code {
					since = w.added
				}
				if (here(c.ID) || w.branch != "") && !c.When.Before(since) {
					w.commits[s], w.near[s] = c, near
					break
				}
			}
		}
	}
}

// findMerge looks for a merge of the work's branch. It ignores a merge if the plan has a ledger, or if a worktree has
// that branch, because then the work may continue.
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
	if merged == nil || merged.ID == last.ID { // no other commit merged the last commit of the work, so look for a merge whose message names the plan
		merged, _, _ = w.log.About([]string{baseOf(w.path), slugOf(w.path)}, w.added)
	}
	if merged == nil || merged.ID == w.by || merged.ID == last.ID || len(w.commits)+len(w.changed) == 0 {
		return // nothing was merged, or only the plan itself
	}
	held := func(t sources.Tree) bool {
		name := refs.Short(t.Branch)
		return t.Branch != "" && !t.Main() && strings.Contains(merged.Subject, name)
	}
	if !slices.ContainsFunc(w.View.Trees, held) && !w.inWork() {
		w.merged = merged
	}
}

// slugOf returns the name of a plan's file without its date and its ending.
func slugOf(file string) string {
	name := baseOf(file)
	if _, ok := dateOf(file); ok && len(name) > len("2026-01-15") {
		return strings.TrimLeft(name[len("2026-01-15"):], "-_ ")
	}
	return name
}

// allMade reports whether the task creates files, and all of them exist and were committed since the plan was written.
func (w *work) allMade(t *task) bool {
	for _, file := range t.created {
		if !w.site.Has(file) || w.made[file] == "" && !w.madeEarlier(file) {
			return false
		}
	}
	return len(t.created) > 0
}

// madeEarlier reports whether a file was added after the plan was written, although no commit in the list of read commits adds it. The list
// may be too short: it may not go back to the commit that added the plan. If the list has that commit, madeEarlier returns false. Otherwise
// it checks that the file is committed now, and that the last commit before the plan does not have it.
func (w *work) madeEarlier(file string) bool {
	if w.by != "" || w.touched[file] != "" || w.added.IsZero() || !w.View.Committed(w.Ctx, w.site, file) {
		return false
	}
	last := w.log.Before(w.added)
	if last == "" {
		return false // it is not known which files existed before the plan
	}
	// The limit of one byte avoids reading the whole file: a larger file gives an error other than ErrMissing.
	_, err := w.View.Repo.Objects.Ask(w.Ctx, string(last)+":"+file, store.Wanted{Limit: 1})
	return errors.Is(err, object.ErrMissing)
}

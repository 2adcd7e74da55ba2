package sources

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
)

// dateCache holds, for each worktree, when a commit last changed its files.
type dateCache struct {
	mu     sync.Mutex
	byTree map[string]*treeDates
}

// treeDates holds what is known about the files of one worktree. A zero time in dates means that the file's own time counts.
type treeDates struct {
	touched map[string]lastCommit
	dates   map[string]time.Time
	// searched has the files whose last commit LastCommits looked for, so that it does not look twice for one that has none.
	searched map[string]bool
}

// lastCommit is the newest commit that changed a file.
type lastCommit struct {
	id   object.ID
	when time.Time
}

// These limits keep the search for the last commit of a file short. Most files that somebody works on have a commit in the window.
const (
	dateWindow   = 90 * 24 * time.Hour
	datedTouches = 2000
)

// Date finds out when several files were written, so that Written answers for them without a further git process. A source calls it once
// with all its state files, because a git process for each file would be slow.
func (v *View) Date(ctx context.Context, t Tree, paths ...string) {
	v.dates.mu.Lock()
	defer v.dates.mu.Unlock()
	v.date(ctx, t, paths)
}

// LastCommits returns for each of some files the newest commit that changed it. Files without such a commit in the last months are left
// out. It starts git at most once, and not at all if the files were dated before.
func (v *View) LastCommits(ctx context.Context, t Tree, paths ...string) map[string]object.ID {
	v.dates.mu.Lock()
	defer v.dates.mu.Unlock()
	d, open := v.datesOf(t), map[string]bool{}
	for _, p := range paths {
		if _, known := d.touched[p]; !known && !d.searched[p] {
			open[p], d.searched[p] = true, true
		}
	}
	v.findTouches(ctx, t, v.Now.Add(-dateWindow), d, open)
	found := map[string]object.ID{}
	for _, p := range paths {
		if last, known := d.touched[p]; known {
			found[p] = last.id
		}
	}
	return found
}

func (v *View) datesOf(t Tree) *treeDates {
	if v.dates.byTree == nil {
		v.dates.byTree = map[string]*treeDates{}
	}
	d := v.dates.byTree[t.WorkTree]
	if d == nil {
		d = &treeDates{map[string]lastCommit{}, map[string]time.Time{}, map[string]bool{}}
		v.dates.byTree[t.WorkTree] = d
	}
	return d
}

// remember keeps the newest commit of each file that some source asked about.
func (v *View) remember(t Tree, touches []past.Touch) {
	v.dates.mu.Lock()
	defer v.dates.mu.Unlock()
	v.datesOf(t).add(touches)
}

func (d *treeDates) add(touches []past.Touch) {
	for _, touch := range touches {
		for _, c := range touch.Changes {
			if _, known := d.touched[c.Path]; !known && c.New.ID != "" { // a deleted file exists again only if it is not committed
				d.touched[c.Path] = lastCommit{touch.ID, touch.Made}
			}
		}
	}
}

// date fills the cache for some files. It asks git only about files whose time a checkout may have set.
func (v *View) date(ctx context.Context, t Tree, paths []string) *treeDates {
	d := v.datesOf(t)
	open := map[string]bool{}
	for _, p := range paths {
		if _, known := d.dates[p]; !known {
			d.dates[p] = time.Time{}
			open[p] = v.maybeCheckedOut(t, p)
		}
	}
	maps.DeleteFunc(open, func(_ string, asked bool) bool { return !asked })
	if len(open) == 0 {
		return d
	}
	changes, err := v.Uncommitted(ctx, t)
	if err != nil {
		return d // the files' own times are used instead
	}
	for _, c := range changes {
		delete(open, c.Path)
	}
	d.settle(open)
	v.findTouches(ctx, t, v.Now.Add(-dateWindow), d, open)
	d.settle(open)
	maps.DeleteFunc(open, func(p string, _ bool) bool { return !v.Committed(ctx, t, p) })
	v.findTouches(ctx, t, time.Time{}, d, open)
	d.settle(open)
	return d
}

// settle gives a date to each open file whose last commit is known.
func (d *treeDates) settle(open map[string]bool) {
	for p := range open {
		if last, known := d.touched[p]; known {
			d.dates[p] = last.when
			delete(open, p)
		}
	}
}

// findTouches asks git once about all open files.
func (v *View) findTouches(ctx context.Context, t Tree, since time.Time, d *treeDates, open map[string]bool) {
	if len(open) == 0 {
		return
	}
	tree := v.Repo.At(t.Place)
	defer tree.Close()
	touches, err := past.Touches(ctx, tree, "HEAD", since, datedTouches, slices.Sorted(maps.Keys(open))...)
	if err != nil {
		return // for example because there is no commit yet
	}
	d.add(touches)
}

// maybeCheckedOut reports whether a file is so new that a checkout may have set its time.
func (v *View) maybeCheckedOut(t Tree, path string) bool {
	when := t.Changed(path)
	return !when.IsZero() && v.Now.Sub(when) <= checkedOut
}

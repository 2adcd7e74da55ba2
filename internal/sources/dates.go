package sources

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
)

// dateCache holds, for each worktree, when a commit last changed its files. A zero time means that the file's own time counts.
type dateCache struct {
	mu     sync.Mutex
	byTree map[string]map[string]time.Time
}

// Date finds out when several files were written, so that Written answers for them without a further git process. A source calls it once
// with all its state files, because a git process for each file would be slow.
func (v *View) Date(ctx context.Context, t Tree, paths ...string) {
	v.dates.mu.Lock()
	defer v.dates.mu.Unlock()
	v.date(ctx, t, paths)
}

// date fills the cache for some files. It asks git only about files whose time a checkout may have set.
func (v *View) date(ctx context.Context, t Tree, paths []string) map[string]time.Time {
	if v.dates.byTree == nil {
		v.dates.byTree = map[string]map[string]time.Time{}
	}
	dates := v.dates.byTree[t.WorkTree]
	if dates == nil {
		dates = map[string]time.Time{}
		v.dates.byTree[t.WorkTree] = dates
	}
	h, open := v.historyOf(ctx, t), map[string]bool{}
	for _, p := range paths {
		if _, known := dates[p]; !known {
			dates[p] = time.Time{}
			if v.maybeCheckedOut(t, p) && h.index.MayHave(p) {
				open[p] = true
			}
		}
	}
	if len(open) == 0 {
		return dates
	}
	go h.touched.Start(ctx) // git lists the commits while the next questions are answered
	for p, at := range v.committed(ctx, t, h, slices.Sorted(maps.Keys(open))) {
		dates[p] = at
	}
	return dates
}

// committed returns when the last commit wrote each of some files. It leaves out files that differ from it.
func (v *View) committed(ctx context.Context, t Tree, h *treeHistory, files []string) map[string]time.Time {
	dates := map[string]time.Time{}
	same := map[string]object.Version{}
	for _, p := range files {
		if is, sure := h.index.Unchanged(t.WorkTree, p); sure {
			same[p] = is
		}
	}
	var unsure []string
	for p, touch := range h.touched.Last(ctx, time.Time{}, slices.Sorted(maps.Keys(same))) {
		if touch.Wrote(p, same[p]) {
			dates[p] = touch.Made
		}
	}
	for _, p := range files {
		if dates[p].IsZero() {
			unsure = append(unsure, p)
		}
	}
	if len(unsure) == 0 {
		return dates
	}
	changes, err := v.Uncommitted(ctx, t)
	if err != nil {
		return dates // the files' own times are used instead
	}
	unsure = slices.DeleteFunc(unsure, func(p string) bool {
		return slices.ContainsFunc(changes, func(c gitstate.Change) bool { return c.Path == p })
	})
	for p, touch := range h.touched.Last(ctx, time.Time{}, unsure) {
		dates[p] = touch.Made
	}
	return dates
}

// maybeCheckedOut reports whether a file is so new that a checkout may have set its time.
func (v *View) maybeCheckedOut(t Tree, path string) bool {
	when := t.Changed(path)
	return !when.IsZero() && v.Now.Sub(when) <= checkedOut
}

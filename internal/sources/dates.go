package sources

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
)

// dateCache holds, for each worktree, when a commit last changed its files. A zero time means that the file's modification time counts
// instead.
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

// date finds out when some files of a worktree were written, and returns the cached times of that worktree. It asks git only about files
// whose modification time may come from a checkout.
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
			if v.maybeCheckedOut(t, p) && h.index().MayHave(p) {
				open[p] = true
			}
		}
	}
	if len(open) == 0 {
		return dates
	}
	go h.touched().Start(ctx) // git lists the commits in the background while the files are compared with the index
	v.dateCommitted(ctx, t, h, open, dates)
	return dates
}

// dateCommitted sets the times of the files in "open" to the times of the commits that wrote them. It leaves out files with uncommitted
// changes.
func (v *View) dateCommitted(ctx context.Context, t Tree, h *treeHistory, open map[string]bool, dates map[string]time.Time) {
	same := map[string]object.Version{}
	for p := range open {
		if is, sure := h.index().Unchanged(t.WorkTree, p); sure {
			same[p] = is
		}
	}
	for p, touch := range h.touched().Last(ctx, time.Time{}, slices.Sorted(maps.Keys(same))) {
		if touch.Wrote(p, same[p]) {
			dates[p] = touch.Made
			delete(open, p)
		}
	}
	if len(open) == 0 {
		return
	}
	changes, err := v.Uncommitted(ctx, t)
	if err != nil {
		return // without a time from a commit, the file's own time counts
	}
	for _, c := range changes {
		delete(open, c.Path)
	}
	for p, touch := range h.touched().Last(ctx, time.Time{}, slices.Sorted(maps.Keys(open))) {
		dates[p] = touch.Made
	}
}

// maybeCheckedOut reports whether a file is so new that a checkout may have set its time.
func (v *View) maybeCheckedOut(t Tree, path string) bool {
	when := t.Changed(path)
	return !when.IsZero() && v.Now.Sub(when) <= checkedOut
}

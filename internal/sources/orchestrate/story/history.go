package story

import (
	"context"
	"slices"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// These limits keep the search of the history fast in an old repository.
const (
	maxTouches = 1000
	maxAge     = 400 * 24 * time.Hour
)

// History lists the commits of one worktree that changed the given files, newest first.
type History struct {
	Touches []past.Touch
	repo    *gitstate.Repo
	ctx     context.Context
}

// HistoryOf returns the commits that changed any of the given paths, within the limits maxAge and maxTouches. It reads the commits of each
// path from new to old. It stops at the commit that added the file, or at the first one that is as old as the time "until" or older. If
// that time is zero, it reads only the last commit of each path.
func HistoryOf(ctx context.Context, view *sources.View, tree sources.Tree, until time.Time, paths []string) *History {
	h := &History{ctx: ctx, repo: view.Repo.At(tree.Place)}
	slices.Sort(paths)
	if paths = slices.Compact(paths); len(paths) > 0 {
		enough := func(t *past.Touch, d *past.Delta) bool {
			return until.IsZero() || d.Letter == 'A' || !t.Author.When.After(until)
		}
		h.Touches = view.Touches(ctx, tree, view.Now.Add(-maxAge), maxTouches, enough, paths...)
	}
	return h
}

// Close ends the git process that reads file versions.
func (h *History) Close() { h.repo.Close() }

// Of returns the changes to one path in the given commits, the newest first.
func (h *History) Of(path string, touches []past.Touch) []past.Delta {
	var out []past.Delta
	for _, t := range touches {
		for _, d := range t.Changes {
			if d.Path == path {
				out = append(out, d)
			}
		}
	}
	return out
}

// Last returns the newest commit that changed a path.
func (h *History) Last(path string) (past.Touch, bool) {
	for _, t := range h.Touches {
		for _, d := range t.Changes {
			if d.Path == path {
				return t, true
			}
		}
	}
	return past.Touch{}, false
}

// Border returns the index of the newest commit from before the interruption. This is the first commit in the list that is not newer than
// the last activity, or that changed a state file. If there is none, the result is len(h.Touches).
func (h *History) Border(active time.Time, states []string) int {
	for i, t := range h.Touches {
		if !t.Author.When.After(active) {
			return i
		}
		for _, d := range t.Changes {
			if slices.Contains(states, d.Path) {
				return i
			}
		}
	}
	return len(h.Touches)
}

// Before returns the version of a file before the interruption. The argument "border" is the index of the newest commit before the
// interruption, which the method Border finds. The version is empty if the file did not exist or is unknown.
func (h *History) Before(path string, border int) object.Version {
	if old := h.Of(path, h.Touches[border:]); len(old) > 0 {
		return old[0].New
	}
	if since := h.Of(path, h.Touches[:border]); len(since) > 0 {
		return since[len(since)-1].Old
	}
	return object.Version{}
}

// Stands reports whether a story file is committed and has no uncommitted changes. It first compares hashes. If they differ, it compares
// the texts, because git may have converted the line endings.
func (h *History) Stands(s *Story) bool {
	all := h.Of(s.Path, h.Touches)
	if len(all) == 0 {
		return false
	}
	if all[0].New.ID == s.Blob(all[0].New.ID) {
		return true
	}
	text, ok := h.Text(all[0].New)
	return ok && text == s.Text
}

// Text returns the content of a file version. If the version does not exist or cannot be read, ok is false.
func (h *History) Text(v object.Version) (string, bool) {
	if v.ID == "" || v.Mode == 0 {
		return "", false
	}
	data, err := h.repo.Objects.BlobUpTo(h.ctx, v.ID, sources.MaxFile)
	return textdoc.Text(data), err == nil
}

// Settle handles stories that exist in several worktrees. If a copy is in progress or in review, only the newest copy is used. Otherwise
// all copies are used.
func Settle(ctx context.Context, view *sources.View, seen []*Collection) {
	copies := map[string][]*Story{}
	where := map[*Story]sources.Tree{}
	for _, l := range seen {
		for _, s := range l.All {
			copies[s.Path], where[s] = append(copies[s.Path], s), l.tree
		}
	}
	for _, all := range copies {
		if len(all) < 2 || !slices.ContainsFunc(all, (*Story).Live) {
			continue
		}
		best, when := all[0], time.Time{}
		for _, s := range all {
			if s == all[0] || s.Text != all[0].Text {
				if t := changedAt(ctx, view, where[s], s); t.After(when) {
					best, when = s, t
				}
			}
		}
		for _, s := range all {
			if s != best {
				s.newer = best
			}
		}
	}
}

// changedAt returns the time of the last change to a story: its last commit, or the modification time if it has uncommitted changes.
func changedAt(ctx context.Context, view *sources.View, tree sources.Tree, s *Story) time.Time {
	h := HistoryOf(ctx, view, tree, time.Time{}, []string{s.Path})
	defer h.Close()
	if t, ok := h.Last(s.Path); ok && h.Stands(s) {
		return t.Author.When
	}
	return tree.Changed(s.Path).UTC()
}

package orchestrate

import (
	"context"
	"slices"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/internal/sources"
)

// What is looked at of the history: a walk without an end would make every status slow in an old repository.
const (
	maxTouches = 1000
	reach      = 400 * 24 * time.Hour
)

// history is what the commits of one worktree did to some files, the newest first.
type history struct {
	touches []past.Touch
	repo    *gitstate.Repo
	ctx     context.Context
}

// historyOf asks for all paths at once.
func historyOf(ctx context.Context, view *sources.View, tree sources.Tree, paths []string) *history {
	h := &history{ctx: ctx, repo: view.Repo.At(tree.Place)}
	slices.Sort(paths)
	if paths = slices.Compact(paths); len(paths) > 0 {
		h.touches, _ = view.Touches(ctx, tree, view.Now.Add(-reach), maxTouches, paths...) // an unborn branch has none
	}
	return h
}

func (h *history) close() { h.repo.Close() }

// of are the changes of one path, the newest first.
func (h *history) of(path string, touches []past.Touch) []past.Delta {
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

// last is the newest commit that changed a path.
func (h *history) last(path string) (past.Touch, bool) {
	for _, t := range h.touches {
		for _, d := range t.Changes {
			if d.Path == path {
				return t, true
			}
		}
	}
	return past.Touch{}, false
}

// border is the place of the first commit that the interrupted work still saw:
// one that changed its state, or one from before its last sign.
func (h *history) border(active time.Time, states []string) int {
	for i, t := range h.touches {
		if !t.Author.When.After(active) {
			return i
		}
		for _, d := range t.Changes {
			if slices.Contains(states, d.Path) {
				return i
			}
		}
	}
	return len(h.touches)
}

// before is the version of a file at the border; none if there was no file or nobody knows.
func (h *history) before(path string, border int) object.Version {
	if old := h.of(path, h.touches[border:]); len(old) > 0 {
		return old[0].New
	}
	if since := h.of(path, h.touches[:border]); len(since) > 0 {
		return since[len(since)-1].Old
	}
	return object.Version{}
}

// stands reports whether a story is what the newest commit has of it. Its bytes tell without asking git,
// but where git stores other bytes than the file has.
func (h *history) stands(s *story) bool {
	all := h.of(s.path, h.touches)
	if len(all) == 0 {
		return false
	}
	if all[0].New.ID == s.blob(all[0].New.ID) {
		return true
	}
	text, ok := h.text(all[0].New)
	return ok && text == s.text
}

func (h *history) text(v object.Version) (string, bool) {
	if v.ID == "" || v.Mode == 0 {
		return "", false
	}
	data, err := h.repo.Objects.BlobUpTo(h.ctx, v.ID, sources.MaxFile)
	return sources.Text(data), err == nil
}

// settle decides between copies of a story in several worktrees: the one that was changed last counts.
func settle(ctx context.Context, view *sources.View, seen []*shelf) {
	copies := map[string][]*story{}
	where := map[*story]sources.Tree{}
	for _, l := range seen {
		for _, s := range l.all {
			copies[s.path], where[s] = append(copies[s.path], s), l.tree
		}
	}
	for _, all := range copies {
		if len(all) < 2 || !slices.ContainsFunc(all, (*story).live) {
			continue
		}
		best, when := all[0], time.Time{}
		for _, s := range all {
			if s == all[0] || s.text != all[0].text {
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

// changedAt is when a story got its text: by the commit that has it, else by the file.
func changedAt(ctx context.Context, view *sources.View, tree sources.Tree, s *story) time.Time {
	h := historyOf(ctx, view, tree, []string{s.path})
	defer h.close()
	if t, ok := h.last(s.path); ok && h.stands(s) {
		return t.Author.When
	}
	return tree.Changed(s.path).UTC()
}

package conflicts

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/git-resume/git-resume/gitstate"
)

const (
	// maxTraced bounds how many changes are followed line by line in one report;
	// beyond it, every commit that changed a file is named.
	maxTraced = 60
	// maxPaths bounds how many files are looked up in the history: git compares each commit with each of them.
	maxPaths = 100
	// historyTime bounds how long git may look for the commits; the conflicts are certain without.
	historyTime = time.Second
	// maxTracedText bounds the files that are followed.
	maxTracedText = 2 << 20
)

// history is the commits of both sides that changed files in conflict.
type history struct {
	ours, theirs []gitstate.Touch
	missing      string // why they are not known
}

// lookBack asks for them. Not to find them is no error: the conflicts stand without.
func (a *asked) lookBack(ctx context.Context, paths []string) history {
	if len(paths) > maxPaths {
		return history{missing: "too many files"}
	}
	ctx, stop := context.WithTimeout(ctx, historyTime)
	defer stop()
	ours, theirs, err := a.repo.Touching(ctx, a.bases[0], a.Ours, a.Theirs, paths)
	if errors.Is(err, context.DeadlineExceeded) {
		return history{missing: "git took too long"}
	}
	if err != nil {
		return history{missing: err.Error()}
	}
	return history{ours: ours, theirs: theirs}
}

// paths are all names of all files that cannot be merged.
func (v verdict) paths() []string {
	var out []string
	for _, c := range v.clashes {
		out = append(out, pathsOf(c)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// pathsOf are all names that the file of a clash has.
func pathsOf(c clash) []string {
	var out []string
	for _, p := range append(c.names[:], c.path) {
		if p != "" && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// tracer follows lines back through commits.
type tracer struct {
	*asked
	left int // changes that may still be looked at
}

// commits are those of a side that changed the lines in question of a clash.
func (t *tracer) commits(ctx context.Context, touches []gitstate.Touch, names []string, s Side) []Commit {
	at := s.Version.ID
	var spans []span
	for _, r := range s.Ranges {
		spans = append(spans, span{r.From - 1, r.To - r.From + 1})
	}
	var all, hit []Commit
	for _, touch := range touches {
		i := slices.IndexFunc(touch.Changes, func(d gitstate.Delta) bool { return slices.Contains(names, d.Path) })
		if i < 0 {
			continue
		}
		c := t.commit(touch)
		all = append(all, c)
		change := touch.Changes[i]
		if change.New.ID != at || len(s.Ranges) == 0 {
			hit = append(hit, c) // on another line of history: it may have
			continue
		}
		made, rest := t.back(ctx, change, spans)
		if made {
			hit = append(hit, c)
		}
		at, spans = change.Old.ID, rest
	}
	if len(hit) == 0 {
		return all
	}
	return hit
}

// back reports whether a change made any of the lines, and where the others were before it.
func (t *tracer) back(ctx context.Context, d gitstate.Delta, lines []span) (made bool, rest []span) {
	t.left--
	if d.Old.Mode == 0 || t.left < 0 {
		return len(lines) > 0, lines
	}
	in := interner{}
	old, err := t.repo.BlobUpTo(ctx, d.Old.ID, maxTracedText)
	if err != nil {
		return true, lines
	}
	now, err := t.repo.BlobUpTo(ctx, d.New.ID, maxTracedText)
	if err != nil {
		return true, lines
	}
	hunks, err := diffLines(in.cut(old), in.cut(now))
	if err != nil {
		return true, lines
	}
	return traceBack(hunks, lines)
}

// traceBack carries lines of the newer text over to the older one.
// Where one of the two has no lines, to touch is enough.
func traceBack(hunks []hunk, lines []span) (made bool, rest []span) {
	for _, s := range lines {
		shift, from, whole := 0, s.at, true
		for _, h := range hunks {
			if h.new.at > s.end() {
				break
			}
			if meets(h.new, s) {
				made, whole = true, false
				if n := h.new.at - from; n > 0 {
					rest = append(rest, span{from + shift, n})
				}
				from = max(from, h.new.end())
			}
			if h.new.end() <= s.end() {
				shift += h.old.n - h.new.n
			}
		}
		if n := s.end() - from; n > 0 || whole {
			rest = append(rest, span{from + shift, n})
		}
	}
	return made, rest
}

func meets(a, b span) bool {
	if a.n == 0 || b.n == 0 {
		return a.at <= b.end() && b.at <= a.end()
	}
	return a.at < b.end() && b.at < a.end()
}

func (a *asked) commit(t gitstate.Touch) Commit {
	c := Commit{ID: t.ID, Author: t.Author.Name, Email: t.Author.Email, When: t.Author.When, Subject: t.Subject}
	if a.Task != nil {
		c.Task = a.Task(t.ID)
	}
	return c
}

// uncommitted lists the paths whose last state is in no commit.
func (a *asked) uncommitted(ctx context.Context) map[string]bool {
	if a.Uncommitted == "" {
		return nil
	}
	deltas, err := a.repo.Changed(ctx, a.Ours, a.ours)
	if err != nil {
		return nil
	}
	out := map[string]bool{}
	for _, d := range deltas {
		out[d.Path] = true
	}
	return out
}

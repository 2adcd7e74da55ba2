package sources

import (
	"context"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-resume/git-resume/gitstate/past"
)

// Historian is a source that calls View.Touches. Starting git is slow, so one git command per worktree answers the requests of all such
// sources.
type Historian interface {
	Source
	// AsksHistory does nothing. A source with this method calls View.Touches.
	AsksHistory()
}

// touchesAsked collects the requests of several sources that run at the same time.
type touchesAsked struct {
	mu sync.Mutex
	// expected is the number of running sources that call Touches. The field waiting holds the requests that have no answer yet.
	expected int
	waiting  []*touchQuestion
}

type touchQuestion struct {
	tree  Tree
	since time.Time
	most  int
	paths []string

	done   chan struct{}
	answer []past.Touch
	err    error
}

// Expect must be called before a source starts to search for work. The caller must call the returned function when the source has finished.
func (v *View) Expect(s Source) (through func(context.Context)) {
	if _, ok := s.(Historian); !ok {
		return func(context.Context) {}
	}
	a := &v.asked
	a.mu.Lock()
	a.expected++
	a.mu.Unlock()
	return func(ctx context.Context) {
		a.mu.Lock()
		a.expected--
		due := a.due()
		a.mu.Unlock()
		if len(due) > 0 {
			go v.answer(ctx, due)
		}
	}
}

// Touches returns the commits in the history of HEAD that changed any of the paths, newest first. The argument since excludes older
// commits, and the argument most limits their number. Touches waits for the requests of other running sources, so that one git command
// answers all requests.
func (v *View) Touches(ctx context.Context, t Tree, since time.Time, most int, paths ...string) ([]past.Touch, error) {
	q := &touchQuestion{tree: t, since: since, most: most, paths: paths, done: make(chan struct{})}
	v.asked.mu.Lock()
	v.asked.waiting = append(v.asked.waiting, q)
	due := v.asked.due()
	v.asked.mu.Unlock()
	v.answer(ctx, due)
	select {
	case <-q.done:
		return q.answer, q.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// due returns all waiting requests if every running source has sent one. Otherwise it returns nil, because further requests can share the
// same git command.
func (a *touchesAsked) due() []*touchQuestion {
	if len(a.waiting) < a.expected {
		return nil
	}
	due := a.waiting
	a.waiting = nil
	return due
}

// answer runs git once for each worktree.
func (v *View) answer(ctx context.Context, all []*touchQuestion) {
	byTree := map[string][]*touchQuestion{}
	for _, q := range all {
		byTree[q.tree.WorkTree] = append(byTree[q.tree.WorkTree], q)
	}
	for _, same := range byTree {
		v.answerTree(ctx, same)
	}
}

// answerTree answers every request even if git fails, because a source is waiting for each answer.
func (v *View) answerTree(ctx context.Context, all []*touchQuestion) {
	var touches []past.Touch
	var err error
	if failed := v.Guard("git's history", func() { touches, err = v.touches(ctx, all) }); failed != nil {
		err = failed
	}
	v.remember(all[0].tree, touches)
	for _, q := range all {
		q.answer, q.err = q.of(touches), err
		close(q.done)
	}
}

// touches runs one git command for all requests about the same worktree.
func (v *View) touches(ctx context.Context, all []*touchQuestion) ([]past.Touch, error) {
	repo := v.Repo.At(all[0].tree.Place)
	defer repo.Close()
	var paths []string
	since, most := all[0].since, 0
	for _, q := range all {
		paths, most = append(paths, q.paths...), most+q.most
		if q.since.Before(since) {
			since = q.since
		}
	}
	slices.Sort(paths)
	return past.Touches(ctx, repo, "HEAD", since, most, slices.Compact(paths)...)
}

// of selects the commits that changed the files or folders of this request.
func (q *touchQuestion) of(all []past.Touch) []past.Touch {
	wanted := map[string]bool{}
	for _, p := range q.paths {
		wanted[strings.TrimSuffix(p, "/")] = true
	}
	foreign := func(d past.Delta) bool {
		for p := d.Path; p != "."; p = path.Dir(p) {
			if wanted[p] {
				return false
			}
		}
		return true
	}
	var out []past.Touch
	for _, t := range all {
		changes := slices.DeleteFunc(slices.Clone(t.Changes), foreign)
		if len(changes) == 0 || t.Made.Before(q.since) {
			continue // the commit belongs to the request of another source
		}
		if len(out) == q.most {
			break
		}
		t.Changes = changes
		out = append(out, t)
	}
	return out
}

package past

import (
	"container/heap"
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
)

// Lineage finds out which commits in the history of some tips are also in the history of the bases. If the commit-graph contains the
// bases, it walks the graph. Otherwise git lists the commits that the bases do not have. git's list depends on commit dates, so it can be
// wrong if clocks were wrong.
type Lineage struct {
	graph graph
	seen  map[int]bool
	queue byLevel
	// since returns git's list of the commits that the bases do not have.
	since func() (map[object.ID]bool, error)
	stop  context.CancelFunc
	// listing is true once git has been asked for the list.
	listing bool
}

// farInGraph limits the walk. In the time that a longer walk takes, a new git process could list the commits.
const farInGraph = 20000

// NewLineage prepares to find the commits that the tips have and the bases do not have. The caller closes the Lineage.
func NewLineage(ctx context.Context, r *gitstate.Repo, bases []object.ID, tips ...object.ID) *Lineage {
	ctx, stop := context.WithCancel(ctx)
	l := &Lineage{seen: map[int]bool{}, stop: stop}
	l.since = sync.OnceValues(func() (map[object.ID]bool, error) { return listSince(ctx, r, bases, tips) })
	if wholeHistory(r) {
		l.graph = openGraph(ctx, r)
	}
	for _, id := range bases {
		n, ok := l.graph.number(id)
		if !ok || !l.add(n) {
			l.list()
			go l.since() // list in the background while the caller prepares its first question
			break
		}
	}
	return l
}

// Shared reports whether a commit in the history of a tip is also in the history of a base.
func (l *Lineage) Shared(id object.ID) (bool, error) {
	if !l.listing {
		if shared, ok := l.findShared(id); ok {
			return shared, nil
		}
		l.list()
	}
	since, err := l.since()
	return !since[id], err
}

// list stops using the graph, so that git answers from now on.
func (l *Lineage) list() {
	l.graph.close()
	l.graph, l.listing = nil, true
}

// Close stops git if it is still listing commits.
func (l *Lineage) Close() {
	l.stop()
	if l.listing {
		_, _ = l.since()
	}
	l.graph.close()
	l.graph = nil
}

// findShared walks back from the bases until the commit must have been met. A commit's level is higher than the level of any parent. So
// the walk can end when every queued commit has at most the level of the wanted commit.
func (l *Lineage) findShared(id object.ID) (shared, ok bool) {
	n, ok := l.graph.number(id)
	if !ok {
		return false, true // the graph contains the whole history of the bases
	}
	level, ok := l.graph.level(n)
	for ok && len(l.queue) > 0 && l.queue[0].level > level {
		next := heap.Pop(&l.queue).(graphCommit).number
		var parents []int
		parents, _, ok = l.graph.commit(next)
		for _, p := range parents {
			ok = ok && l.add(p)
		}
	}
	return l.seen[n], ok
}

// add queues a commit of the graph. It returns false if the commit's level is unknown or if too many commits were queued.
func (l *Lineage) add(n int) bool {
	if l.seen[n] {
		return true
	}
	level, ok := l.graph.level(n)
	if !ok || len(l.seen) >= farInGraph {
		return false
	}
	l.seen[n] = true
	heap.Push(&l.queue, graphCommit{n, level})
	return true
}

// listSince returns the commits that the tips have and that no base has.
func listSince(ctx context.Context, r *gitstate.Repo, bases, tips []object.ID) (map[object.ID]bool, error) {
	args := []string{"rev-list"}
	for _, id := range tips {
		args = append(args, string(id))
	}
	for _, id := range bases {
		args = append(args, "^"+string(id))
	}
	out, err := r.Git(ctx, process.Call{Args: append(args, "--")})
	if err != nil {
		return nil, fmt.Errorf("list the commits since %s: %w", bases[0], err)
	}
	ids := map[object.ID]bool{}
	for id := range strings.FieldsSeq(string(out)) {
		ids[object.ID(id)] = true
	}
	return ids, nil
}

// graphCommit is a commit of the graph, by number, with its level.
type graphCommit struct{ number, level int }

// byLevel is a heap with the highest level on top.
type byLevel []graphCommit

func (q byLevel) Len() int           { return len(q) }
func (q byLevel) Less(i, j int) bool { return q[i].level > q[j].level }
func (q byLevel) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *byLevel) Push(x any)        { *q = append(*q, x.(graphCommit)) }
func (q *byLevel) Pop() any {
	n := len(*q) - 1
	last := (*q)[n]
	*q = (*q)[:n]
	return last
}

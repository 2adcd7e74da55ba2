package past

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
)

// Lineage finds out whether a commit in the history of a tip is also in the history of a base. It walks the commit-graph if that contains
// the bases and the walk is short. Otherwise it lets git list the commits that are in the history of a tip but not in the history of any
// base. This list can be wrong if commit dates are wrong.
type Lineage struct {
	graph graph
	seen  map[int]bool
	queue queue // the commits to visit; those with the highest level in the graph come first
	// The function "since" returns the commits that are in the history of a tip but not in the history of any base. git makes this list.
	since func() (map[object.ID]bool, error)
	stop  context.CancelFunc
	// The field "listing" is true if the answers come from the function "since", and not from the graph.
	listing bool
}

// farInGraph limits how many commits of the graph are visited. For more commits, a new git process is faster.
const farInGraph = 20000

// NewLineage prepares to answer which commits in the history of the tips are not in the history of any base. The caller closes the Lineage.
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
			go l.since() // let git list the commits in the background now, because the method Shared will need the list
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

// list closes the graph. From now on, all answers come from the list that the function "since" returns.
func (l *Lineage) list() {
	l.graph.close()
	l.graph, l.listing = nil, true
}

// Close stops git if it is still listing commits, and closes the graph.
func (l *Lineage) Close() {
	l.stop()
	if l.listing {
		_, _ = l.since()
	}
	l.graph.close()
	l.graph = nil
}

// findShared walks back from the bases to find out whether one of them has the commit. Every commit has a higher level than its parents.
// So the walk ends when all queued commits have at most the level of the wanted commit.
func (l *Lineage) findShared(id object.ID) (shared, ok bool) {
	n, ok := l.graph.number(id)
	if !ok {
		return false, true // the graph has all commits of the bases but not this commit, so no base has this commit
	}
	level, ok := l.graph.level(n)
	var parents []int
	for ok && len(l.queue) > 0 && l.queue[0].rank > int64(level) {
		parents, ok = l.graph.parents(l.queue.pop().number, parents[:0])
		for _, p := range parents {
			ok = ok && l.add(p)
		}
	}
	return l.seen[n], ok
}

// add queues a commit of the graph. It returns false if too many commits were queued, or if the graph does not say which level the commit
// has. The level of a commit is higher than the levels of its parents.
func (l *Lineage) add(n int) bool {
	if l.seen[n] {
		return true
	}
	level, ok := l.graph.level(n)
	if !ok || len(l.seen) >= farInGraph {
		return false
	}
	l.seen[n] = true
	l.queue.push(queued{int64(level), n})
	return true
}

// listSince returns the commits that are in the history of a tip but not in the history of any base.
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

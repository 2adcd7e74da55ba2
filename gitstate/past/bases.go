package past

import (
	"bytes"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/store"
)

// MergeBases returns the best common ancestors of two commits, in git's order.
// If there is none, the error is ErrUnrelated, or ErrShallow in a shallow clone.
func MergeBases(ctx context.Context, r *gitstate.Repo, a, b object.ID) ([]object.ID, error) {
	if err := errors.Join(mustBeCommit(ctx, r, a), mustBeCommit(ctx, r, b)); err != nil {
		return nil, fmt.Errorf("find the common ancestor: %w", err)
	}
	if id, ok := nearBase(ctx, r, a, b); ok {
		return []object.ID{id}, nil
	}
	text, err := r.Line(ctx, "merge-base", "--all", string(a), string(b))
	if process.SaysNo(err) {
		if _, err := os.Lstat(r.CommonPath("shallow")); err == nil {
			return nil, ErrShallow
		}
		return nil, ErrUnrelated
	}
	if err != nil {
		return nil, fmt.Errorf("find the common ancestor: %w", err)
	}
	var out []object.ID
	for id := range strings.FieldsSeq(text) {
		out = append(out, object.ID(id))
	}
	return out, nil
}

// IsAncestor reports whether the commit old is an ancestor of the commit tip, or the same commit. It returns an error if one of the ids
// is not a commit.
func IsAncestor(ctx context.Context, r *gitstate.Repo, old, tip object.ID) (bool, error) {
	if err := errors.Join(mustBeCommit(ctx, r, old), mustBeCommit(ctx, r, tip)); err != nil {
		return false, fmt.Errorf("look for %s among the ancestors of %s: %w", old, tip, err)
	}
	if id, ok := nearBase(ctx, r, old, tip); ok {
		return id == old, nil
	}
	_, err := r.Git(ctx, process.Call{Args: []string{"merge-base", "--is-ancestor", string(old), string(tip)}})
	if process.SaysNo(err) {
		return false, nil
	}
	return err == nil, err
}

// mustBeCommit checks an id before git sees it, because git would read and hash any other object, however large, only to refuse it.
func mustBeCommit(ctx context.Context, r *gitstate.Repo, id object.ID) error {
	_, err := r.Objects.Commit(ctx, string(id))
	return err
}

// nearBase looks for the best common ancestor of two commits through the running helper process, which is faster than starting git. It
// returns false if the ancestor is not near, is not the only one, or is not certain.
func nearBase(ctx context.Context, r *gitstate.Repo, a, b object.ID) (object.ID, bool) {
	if !wholeHistory(r) || !object.IsID(string(a)) || !object.IsID(string(b)) {
		return "", false
	}
	w := ancestors{ctx: ctx, from: r, graph: openGraph(ctx, r), ahead: firstAhead,
		byID: map[object.ID]*ancestor{}, numbered: map[int]*ancestor{}}
	defer w.graph.close()
	return w.base(a, b)
}

// wholeHistory reports whether the commit objects show the complete history. A shallow or grafts file would change it.
func wholeHistory(r *gitstate.Repo) bool {
	for _, file := range []string{"shallow", "info/grafts"} {
		if _, err := os.Lstat(r.CommonPath(file)); !errors.Is(err, os.ErrNotExist) {
			return false
		}
	}
	return true
}

// These bits form the paint of a commit. fromA and fromB say whether the commit is reachable from the first and from the second commit.
// underBoth marks an ancestor of a commit that is reachable from both.
const (
	fromA = 1 << iota
	fromB
	underBoth
	fromBoth = fromA | fromB
)

// ancestor is a commit that was found while walking back through history from two commits.
type ancestor struct {
	// id is empty for a commit of the commit-graph file, which has a number instead.
	id      object.ID
	number  int
	read    bool
	parents []*ancestor
	at      int64
	paint   int
	queued  bool
}

// ancestors walks back through history from two commits, newest commit first. It finds every best common ancestor, even if commit dates
// are wrong. Dates only decide how many commits it visits.
type ancestors struct {
	ctx   context.Context
	from  *gitstate.Repo
	graph graph
	byID  map[object.ID]*ancestor
	// numbered holds the commits of the commit-graph file by number.
	numbered map[int]*ancestor
	queue    byAge
	// open counts the queued commits that are not ancestors of a common ancestor.
	open int
	// The field ahead is the number of first parents that are read together with each commit. The field asked counts the commits that
	// were requested so far.
	ahead, asked int
}

const (
	// nearCommits and nearInGraph limit the walk. Beyond these limits, a new git process is faster.
	nearCommits = 64
	nearInGraph = 20000
	firstAhead  = 3
	mostAhead   = 8
)

// base returns the only best common ancestor. It returns false if there is none, more than one, or if the walk is too long.
func (w *ancestors) base(a, b object.ID) (object.ID, bool) {
	ends := []*ancestor{w.node(a), w.node(b)}
	if !w.readAll(ends) || !w.paint(ends[:1], fromA) || !w.paint(ends[1:], fromB) {
		return "", false
	}
	var found []*ancestor
	for w.open > 0 {
		c := heap.Pop(&w.queue).(*ancestor)
		c.queued = false
		if c.paint&underBoth == 0 {
			w.open--
		}
		paint := c.paint
		if paint == fromBoth {
			found = append(found, c)
			paint |= underBoth
		}
		if !w.paint(c.parents, paint) {
			return "", false
		}
	}
	found = slices.DeleteFunc(found, func(c *ancestor) bool { return c.paint&underBoth != 0 })
	if len(found) != 1 {
		return "", false
	}
	return w.idOf(found[0])
}

// paint adds bits to the paint of commits, and queues the commits whose paint changed.
func (w *ancestors) paint(to []*ancestor, paint int) bool {
	if !w.readAll(to) {
		return false
	}
	for _, c := range to {
		if c.paint&paint == paint {
			continue
		}
		if c.queued && c.paint&underBoth == 0 {
			w.open--
		}
		c.paint |= paint
		if c.paint&underBoth == 0 {
			w.open++
		}
		if !c.queued {
			c.queued = true
			heap.Push(&w.queue, c)
		}
	}
	return true
}

// node returns the commit that has the given id. It returns the same pointer each time.
func (w *ancestors) node(id object.ID) *ancestor {
	c := w.byID[id]
	if c == nil {
		if n, ok := w.graph.number(id); ok {
			c = w.at(n)
		} else {
			c = &ancestor{id: id}
		}
		w.byID[id] = c
	}
	return c
}

// at returns the commit that has the given number in the commit-graph file.
func (w *ancestors) at(n int) *ancestor {
	c := w.numbered[n]
	if c == nil {
		c = &ancestor{number: n}
		w.numbered[n] = c
	}
	return c
}

func (w *ancestors) idOf(c *ancestor) (object.ID, bool) {
	if c.id != "" {
		return c.id, true
	}
	return w.graph.id(c.number)
}

// readAll reads the dates and parents of commits. It returns false if the walk has become too long.
func (w *ancestors) readAll(commits []*ancestor) bool {
	var missing []*ancestor
	for _, c := range commits {
		switch {
		case c.read:
		case c.id != "":
			missing = append(missing, c)
		case len(w.numbered) > nearInGraph || !w.readGraph(c):
			return false
		}
	}
	return len(missing) == 0 || w.ask(missing)
}

// readGraph reads a commit from the commit-graph file, which also contains all its ancestors.
func (w *ancestors) readGraph(c *ancestor) bool {
	parents, at, ok := w.graph.commit(c.number)
	for _, n := range parents {
		c.parents = append(c.parents, w.at(n))
	}
	c.at, c.read = at, ok
	return ok
}

// ask reads commits, together with the commits that will probably be needed next, because each request waits for git.
func (w *ancestors) ask(commits []*ancestor) bool {
	want := slices.Clone(commits)
	for _, c := range w.queue {
		for _, p := range c.parents {
			if c.paint&underBoth == 0 && p.id != "" && !p.read && !slices.Contains(want, p) {
				want = append(want, p)
			}
		}
	}
	var names []string
	for _, c := range want {
		for k := range w.ahead + 1 {
			names = append(names, string(c.id)+"~"+strconv.Itoa(k))
		}
	}
	w.ahead = min(2*w.ahead, mostAhead)
	if w.asked += len(names); w.asked > nearCommits {
		return false
	}
	err := w.from.Objects.Each(w.ctx, names, store.Wanted{Kinds: []string{"commit"}}, func(_ int, o object.Object) error { return w.readCommit(o) })
	if err != nil && !errors.Is(err, object.ErrMissing) { // a missing object is not an error here, because the history may be shorter than the number of parents that we asked for
		return false
	}
	return !slices.ContainsFunc(commits, func(c *ancestor) bool { return !c.read })
}

// readCommit reads only the parts of a commit that the walk needs.
func (w *ancestors) readCommit(o object.Object) error {
	c := w.node(o.ID)
	if c.read || c.id == "" {
		return nil
	}
	if o.Type != "commit" {
		return fmt.Errorf("%s is a %s, not a commit", o.ID, o.Type)
	}
	for line := range bytes.Lines(o.Data) {
		key, value, _ := strings.Cut(strings.TrimRight(string(line), "\n"), " ")
		switch key {
		case "parent":
			c.parents = append(c.parents, w.node(object.ID(value)))
		case "committer":
			c.at, c.read = object.ParseSignature(value).When.Unix(), true
			return nil
		}
	}
	return fmt.Errorf("read commit %s: it has no committer", o.ID)
}

// byAge is a heap with the newest commit on top.
type byAge []*ancestor

func (q byAge) Len() int           { return len(q) }
func (q byAge) Less(i, j int) bool { return q[i].at > q[j].at }
func (q byAge) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *byAge) Push(x any)        { *q = append(*q, x.(*ancestor)) }
func (q *byAge) Pop() any {
	n := len(*q) - 1
	last := (*q)[n]
	*q = (*q)[:n]
	return last
}

package past

import (
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
	return mergeBases(ctx, r, a, b, map[object.ID]object.ID{}, func(bool) {})
}

// mergeBases does the same as MergeBases. It also adds the trees of the two commits and of their ancestor to the map, as far as it has read
// them. It calls the function "slow" before a step that may take long. If there is no commit-graph, it calls slow(false) after it has
// read both commits. If a git process must search for the ancestors, it calls slow(true) before.
func mergeBases(ctx context.Context, r *gitstate.Repo, a, b object.ID, trees map[object.ID]object.ID, slow func(far bool)) ([]object.ID, error) {
	if id, ok := nearBase(ctx, r, a, b, trees, slow); ok {
		return []object.ID{id}, nil
	}
	if err := mustBeCommits(ctx, r, trees, a, b); err != nil {
		return nil, fmt.Errorf("find the common ancestor: %w", err)
	}
	slow(true)
	return farBases(ctx, r, a, b)
}

// farBases lets a git process look for the best common ancestors of two commits. If there are none, it returns ErrUnrelated, or ErrShallow
// if the repository is shallow.
func farBases(ctx context.Context, r *gitstate.Repo, a, b object.ID) ([]object.ID, error) {
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

// IsAncestor reports whether the commit "old" is an ancestor of the commit "tip", or the same commit. It returns an error if one of the
// ids is not a commit.
func IsAncestor(ctx context.Context, r *gitstate.Repo, old, tip object.ID) (bool, error) {
	trees := map[object.ID]object.ID{}
	if id, ok := nearBase(ctx, r, old, tip, trees, func(bool) {}); ok {
		return id == old, nil
	}
	if err := mustBeCommits(ctx, r, trees, old, tip); err != nil {
		return false, fmt.Errorf("look for %s among the ancestors of %s: %w", old, tip, err)
	}
	_, err := r.Git(ctx, process.Call{Args: []string{"merge-base", "--is-ancestor", string(old), string(tip)}})
	if process.SaysNo(err) {
		return false, nil
	}
	return err == nil, err
}

// mustBeCommits checks that ids are commits before git sees them. git would read and hash an object of another kind, however large, only to
// refuse it. Ids with a known tree are commits.
func mustBeCommits(ctx context.Context, r *gitstate.Repo, trees map[object.ID]object.ID, ids ...object.ID) (err error) {
	for _, id := range ids {
		if trees[id] == "" {
			_, readErr := r.Objects.Commit(ctx, string(id))
			err = errors.Join(err, readErr)
		}
	}
	return err
}

// nearBase looks for the best common ancestor of two commits, which is faster than starting git. It reads the commits from the
// commit-graph, or through the helper process if the graph does not have them. It returns false if it cannot be sure, for example because
// the ancestor is too far away or not the only one. It adds to the map "trees" the ids of the trees of a, of b and of the ancestor, as far
// as it knows them.
func nearBase(ctx context.Context, r *gitstate.Repo, a, b object.ID, trees map[object.ID]object.ID, slow func(far bool)) (object.ID, bool) {
	if !wholeHistory(r) || !object.IsID(string(a)) || !object.IsID(string(b)) {
		return "", false
	}
	w := ancestors{ctx: ctx, from: r, graph: openGraph(ctx, r), ahead: firstAhead, slow: slow, numbers: map[object.ID]int{}}
	defer w.graph.close()
	w.colours = make([]uint8, w.graph.count())
	base, ok := w.base(a, b)
	for _, id := range []object.ID{a, b, base} {
		if id != "" {
			trees[id] = w.tree(w.number(id))
		}
	}
	return base, ok
}

// wholeHistory reports whether there is neither a shallow file nor a grafts file, which would change the history.
func wholeHistory(r *gitstate.Repo) bool {
	for _, file := range []string{"shallow", "info/grafts"} {
		if _, err := os.Lstat(r.CommonPath(file)); !errors.Is(err, os.ErrNotExist) {
			return false
		}
	}
	return true
}

// These bits form the colour of a commit. fromA: the first commit reaches it. fromB: the second commit reaches it. underBoth: it is an
// ancestor of a commit that both reach. waiting: it is in the queue.
const (
	fromA = 1 << iota
	fromB
	underBoth
	waiting
	fromBoth = fromA | fromB
)

// ancestors walks back through history from two commits, newest commit first, to find their best common ancestors.
// Wrong commit dates only make the walk longer.
//
// Every commit has a number. For a commit in the commit-graph file, it is the number in that file. All other commits
// get the numbers after these.
type ancestors struct {
	ctx     context.Context
	from    *gitstate.Repo
	graph   graph
	colours []uint8
	// The commits in "others" are not in the commit-graph file. The map "numbers" has the number of each commit that was looked up by its
	// id.
	others  []ancestor
	numbers map[object.ID]int
	queue   queue // ranked by date
	// The field "open" counts the queued commits without the bit underBoth. The field "painted" counts all commits that were ever queued.
	open, painted int
	// The field "ahead" is the number of first parents that are read together with each commit. The field "asked" counts the commits that
	// were requested so far.
	ahead, asked int
	// The walk calls slow(false) at its beginning if it may take long, because there is no commit-graph. By then, the two commits at which
	// the walk begins have been read. The walk never calls slow(true): mergeBases does so if a git process must search instead.
	slow func(far bool)
}

// ancestor is a commit that the walk has found and that is not in the commit-graph file.
type ancestor struct {
	id      object.ID
	tree    object.ID
	read    bool
	parents []int
	at      int64
}

const (
	// nearCommits limits how many commits are requested from the helper process. For more commits, a new git process is
	// faster. nearInGraph limits how many commits are visited at all.
	nearCommits = 64
	nearInGraph = 1_000_000
	// firstAhead and mostAhead limit how many first parents are requested together with a commit, by names such as ID~2. The limits are
	// small, because for each such name git walks from the commit to that parent again.
	firstAhead = 1
	mostAhead  = 2
)

// base returns the only best common ancestor. It returns false if there is none or more than one, if the walk is too long, or if a commit
// cannot be read.
func (w *ancestors) base(a, b object.ID) (object.ID, bool) {
	ends := []int{w.number(a), w.number(b)}
	if !w.readEnds(ends) {
		return "", false
	}
	if w.graph.count() == 0 {
		w.slow(false)
	}
	if !w.paint(ends[:1], fromA) || !w.paint(ends[1:], fromB) {
		return "", false
	}
	var found, parents []int
	for w.open > 0 {
		n := w.queue.pop().number
		colour := w.colours[n] &^ waiting
		if w.colours[n] = colour; colour&underBoth == 0 {
			w.open--
		}
		if colour == fromBoth {
			found = append(found, n)
			colour |= underBoth
		}
		var ok bool
		if parents, ok = w.parents(n, parents[:0]); !ok || !w.paint(parents, colour) {
			return "", false
		}
	}
	found = slices.DeleteFunc(found, func(n int) bool { return w.colours[n]&underBoth != 0 })
	if len(found) != 1 {
		return "", false
	}
	if n := found[0] - w.graph.count(); n >= 0 {
		return w.others[n].id, true
	}
	return w.graph.id(found[0])
}

// paint adds bits to the colours of commits, and queues the commits whose colour changed. It returns false if the walk has become too
// long, or if a commit cannot be read.
func (w *ancestors) paint(to []int, colour uint8) bool {
	if !w.readAll(to) {
		return false
	}
	for _, n := range to {
		was := w.colours[n]
		if was&colour == colour {
			continue
		}
		now := was | colour | waiting
		if was&waiting != 0 && was&underBoth == 0 {
			w.open--
		}
		if now&underBoth == 0 {
			w.open++
		}
		if w.colours[n] = now; was&waiting == 0 {
			at, ok := w.date(n)
			if w.painted++; !ok || w.painted > nearInGraph {
				return false
			}
			w.queue.push(queued{at, n})
		}
	}
	return true
}

// number returns the number of the commit that has the given id. A commit without a number gets the
// next one.
func (w *ancestors) number(id object.ID) int {
	n, known := w.numbers[id]
	if known {
		return n
	}
	n, ok := w.graph.number(id)
	if !ok {
		n = w.graph.count() + len(w.others)
		w.others = append(w.others, ancestor{id: id})
		w.colours = append(w.colours, 0)
	}
	w.numbers[id] = n
	return n
}

// The method "other" returns the commit with this number if it is not in the commit-graph file, and otherwise nil.
func (w *ancestors) other(n int) *ancestor {
	if n -= w.graph.count(); n >= 0 {
		return &w.others[n]
	}
	return nil
}

func (w *ancestors) date(n int) (int64, bool) {
	if c := w.other(n); c != nil {
		return c.at, true
	}
	return w.graph.date(n)
}

func (w *ancestors) tree(n int) object.ID {
	if c := w.other(n); c != nil {
		return c.tree
	}
	return w.graph.tree(n)
}

// parents appends the parents of a commit to a list. For a commit in the commit-graph file, that file also has the parents.
func (w *ancestors) parents(n int, to []int) ([]int, bool) {
	if c := w.other(n); c != nil {
		return append(to, c.parents...), true
	}
	return w.graph.parents(n, to)
}

// unread returns those of the given commits that must still be read from the repository.
func (w *ancestors) unread(commits []int) (out []int) {
	for _, n := range commits {
		if c := w.other(n); c != nil && !c.read {
			out = append(out, n)
		}
	}
	return out
}

// readEnds reads the two commits at which the walk begins, but not yet their parents. The user may have named an object that is not a
// commit. If we requested the parents of such an object, git would read and hash all of it, however large it is.
func (w *ancestors) readEnds(ends []int) bool {
	var names []string
	for _, n := range w.unread(ends) {
		names = append(names, string(w.other(n).id))
	}
	return w.read(names, ends)
}

// readAll reads the dates and parents of commits. It returns false if the walk has become too long, or if a commit cannot be read.
func (w *ancestors) readAll(commits []int) bool {
	missing := w.unread(commits)
	return len(missing) == 0 || w.ask(missing)
}

// ask reads the given commits and, in the same request, commits that will probably be needed next. Each request waits for git, so fewer
// requests are faster.
func (w *ancestors) ask(commits []int) bool {
	want := commits
	for _, q := range w.queue {
		if c := w.other(q.number); c != nil && w.colours[q.number]&underBoth == 0 {
			for _, p := range w.unread(c.parents) {
				if !slices.Contains(want, p) {
					want = append(want, p)
				}
			}
		}
	}
	var names []string
	for _, n := range want {
		for k := range w.ahead + 1 {
			names = append(names, string(w.other(n).id)+"~"+strconv.Itoa(k))
		}
	}
	w.ahead = min(2*w.ahead, mostAhead)
	return w.read(names, commits)
}

// read requests commits by name. It returns false if one of the wanted commits was not read, or if too many were requested.
func (w *ancestors) read(names []string, want []int) bool {
	if len(names) == 0 {
		return true
	}
	if w.asked += len(names); w.asked > nearCommits {
		return false
	}
	err := w.from.Objects.Each(w.ctx, names, store.Wanted{Kinds: []string{"commit"}}, func(_ int, o object.Object) error { return w.readCommit(o) })
	if err != nil && !errors.Is(err, object.ErrMissing) { // a missing object is no error, because the history may have fewer commits than we asked for
		return false
	}
	return len(w.unread(want)) == 0
}

func (w *ancestors) readCommit(o object.Object) error {
	n := w.number(o.ID)
	if c := w.other(n); c == nil || c.read {
		return nil
	}
	commit, err := object.ParseCommit(o)
	if err != nil {
		return err
	}
	if commit.Committer.When.IsZero() {
		return fmt.Errorf("read commit %s: it has no date", o.ID)
	}
	var parents []int
	for _, p := range commit.Parents {
		parents = append(parents, w.number(p))
	}
	c := w.other(n)
	c.tree, c.parents, c.at, c.read = commit.Tree, parents, commit.Committer.When.Unix(), true
	return nil
}

package past

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/store"
)

// Changed lists the differences between two trees or commits, sorted by path, without detecting renames. It reads only the directories
// that differ.
func Changed(ctx context.Context, r *gitstate.Repo, from, to object.ID) ([]Delta, error) {
	return changed(ctx, r, from, to)
}

// Changed lists the differences between two trees or commits, like the function Changed of this package. It also accepts commits that
// MakeCommit made, if their trees are in the repository.
func (s *Scratch) Changed(ctx context.Context, from, to object.ID) ([]Delta, error) {
	if tree, ok := s.made[from]; ok {
		from = tree
	}
	if tree, ok := s.made[to]; ok {
		to = tree
	}
	return changed(ctx, s.underlying, from, to)
}

func changed(ctx context.Context, r *gitstate.Repo, from, to object.ID) ([]Delta, error) {
	trees, err := Trees(ctx, r, from, to)
	if err != nil {
		return nil, fmt.Errorf("compare %s and %s: %w", from, to, err)
	}
	return changedTrees(ctx, r, trees[0], trees[1])
}

// ChangedTrees lists the differences between two trees of the repository.
func (s *Scratch) ChangedTrees(ctx context.Context, from, to object.ID) ([]Delta, error) {
	return changedTrees(ctx, s.underlying, from, to)
}

func changedTrees(ctx context.Context, r *gitstate.Repo, from, to object.ID) ([]Delta, error) {
	w := newTreeWalk(ctx, r)
	if err := w.compare(from, to); err != nil {
		return nil, fmt.Errorf("compare %s and %s: %w", from, to, err)
	}
	return w.out, nil
}

func newTreeWalk(ctx context.Context, r *gitstate.Repo) treeWalk {
	return treeWalk{read: func(names []string, do func(int, object.Object) error) error {
		return r.Objects.Each(ctx, names, wantTrees, do)
	}}
}

// Trees returns the ids of the trees of commits. For the id of a tree it returns the same id, and it follows tags.
func Trees(ctx context.Context, r *gitstate.Repo, ids ...object.ID) ([]object.ID, error) {
	out := make([]object.ID, len(ids))
	err := r.Objects.Each(ctx, idStrings(ids), store.Wanted{Kinds: []string{"commit", "tree", "tag"}}, func(i int, o object.Object) error {
		switch o.Type {
		case "commit":
			c, err := object.ParseCommit(o)
			out[i] = c.Tree
			return err
		case "tree":
			out[i] = o.ID
		}
		return nil
	})
	for i, id := range ids {
		if err == nil && out[i] == "" { // the id is that of a tag
			var tree string
			tree, err = r.Objects.TreeOf(ctx, id)
			out[i] = object.ID(tree)
		}
	}
	return out, err
}

// Trees returns the ids of the trees of commits of the repository.
func (s *Scratch) Trees(ctx context.Context, ids ...object.ID) ([]object.ID, error) {
	var unknown []object.ID
	for _, id := range ids {
		if s.rootOf[id] == "" {
			unknown = append(unknown, id)
		}
	}
	if len(unknown) > 0 {
		found, err := Trees(ctx, s.underlying, unknown...)
		if err != nil {
			return nil, err
		}
		for i, id := range unknown {
			s.rootOf[id] = found[i]
		}
	}
	out := make([]object.ID, len(ids))
	for i, id := range ids {
		out[i] = s.rootOf[id]
	}
	return out, nil
}

var wantTrees = store.Wanted{Kinds: []string{"tree"}}

// treeWalk compares two trees level by level, so that all directories of one level are requested at once.
type treeWalk struct {
	// The function "read" reads the trees with the given names, and passes each of them to the function "do".
	read func(names []string, do func(int, object.Object) error) error
	// leaveOut reports which files and directories are not compared. It may be nil.
	leaveOut func(path string, dir bool) bool
	out      []Delta
	next     []treePair
	// beside compares the differences with a third tree. It may be nil.
	beside *beside
}

// treePair is one directory in both trees. The fields a and b name the directory's tree object in the first and in the second tree. Such a
// name is empty if the tree does not contain the directory. The field c names the directory in the third tree. It is empty if that
// directory need not be read.
type treePair struct{ prefix, a, b, c string }

// compare adds the differences between two trees to w.out, sorted by path. An empty id stands for an empty tree.
func (w *treeWalk) compare(from, to object.ID) (err error) {
	if from == to {
		return nil
	}
	for todo := []treePair{{"", string(from), string(to), w.beside.root(from)}}; len(todo) > 0; {
		if todo, err = w.level(todo); err != nil {
			return err
		}
	}
	slices.SortFunc(w.out, func(a, b Delta) int { return cmp.Compare(a.Path, b.Path) })
	return nil
}

func (w *treeWalk) level(todo []treePair) ([]treePair, error) {
	var names []string
	for _, p := range todo {
		for _, name := range []string{p.a, p.b, p.c} {
			if name != "" {
				names = append(names, name)
			}
		}
	}
	read := make([][]object.RawEntry, len(names))
	err := w.read(names, func(i int, o object.Object) (err error) {
		read[i], err = directory(o)
		return err
	})
	if err != nil {
		return nil, err
	}
	w.next = nil
	take := func(name string) (out []object.RawEntry) {
		if name != "" {
			out, read = read[0], read[1:]
		}
		return out
	}
	for _, p := range todo {
		left, right := take(p.a), take(p.b)
		w.beside.enter(p.c != "", take(p.c))
		w.dirs(p.prefix, left, right)
	}
	return w.next, nil
}

func (w *treeWalk) dirs(prefix string, left, right []object.RawEntry) {
	for len(left) > 0 || len(right) > 0 {
		var x, y object.RawEntry
		switch order := headOrder(left, right); {
		case order == 0:
			x, y, left, right = left[0], right[0], left[1:], right[1:]
		case order < 0:
			x, left = left[0], left[1:]
		default:
			y, right = right[0], right[1:]
		}
		w.entry(prefix, x, y)
	}
}

// headOrder compares the first entries of the two lists, in git's order. git sorts a directory as if its name ended in a slash, so a file
// and a directory of the same name are two separate entries.
func headOrder(left, right []object.RawEntry) int {
	switch {
	case len(left) == 0:
		return 1
	case len(right) == 0:
		return -1
	}
	return cmp.Compare(sortKey(left[0]), sortKey(right[0]))
}

func sortKey(e object.RawEntry) string {
	if e.Mode == object.ModeDir {
		return e.Name + "/"
	}
	return e.Name
}

func version(e object.RawEntry) object.Version {
	return object.Version{Mode: e.Mode, ID: e.Hex()}
}

// entry compares the entries x and y, which have the same name in two directories. If one of them is zero, its directory does not contain
// the name.
func (w *treeWalk) entry(prefix string, x, y object.RawEntry) {
	if x.Mode == y.Mode && bytes.Equal(x.ID, y.ID) {
		return
	}
	path := prefix + x.Name
	if x.Mode == 0 {
		path = prefix + y.Name
	}
	dir := x.Mode == object.ModeDir || y.Mode == object.ModeDir
	if w.leaveOut != nil && w.leaveOut(path, dir) {
		return
	}
	third := w.beside.entry(x, y)
	if dir {
		w.next = append(w.next, treePair{path + "/", treeName(x), treeName(y), third})
		return
	}
	d := Delta{Path: path, OldPath: path, Letter: 'M'}
	switch {
	case x.Mode == 0:
		d.New, d.Letter = version(y), 'A'
	case y.Mode == 0:
		d.Old, d.Letter = version(x), 'D'
	default:
		d.Old, d.New = version(x), version(y)
		if x.Mode>>12 != y.Mode>>12 {
			d.Letter = 'T'
		}
	}
	w.out = append(w.out, d)
}

func treeName(e object.RawEntry) string {
	if e.Mode != object.ModeDir {
		return ""
	}
	return string(e.Hex())
}

// directory returns the entries of a tree with the modes that git uses today.
func directory(o object.Object) ([]object.RawEntry, error) {
	if o.Type != "tree" {
		return nil, fmt.Errorf("read tree %s: it is a %s", o.ID, o.Type)
	}
	entries, err := object.RawTree(o)
	for i := range entries {
		entries[i].Mode = canonical(entries[i].Mode)
	}
	return entries, err
}

// canonical returns the mode that git uses today. Old trees contain other modes, such as 100664.
func canonical(mode uint32) uint32 {
	switch mode & 0o170000 {
	case 0o100000:
		if mode&0o100 != 0 {
			return object.ModeExecutable
		}
		return object.ModeFile
	case 0o120000:
		return object.ModeLink
	case 0o040000:
		return object.ModeDir
	}
	return object.ModeSubmodule
}

// Lookup finds the entry at a path in a commit or tree. If there is none, the error wraps ErrMissing.
func (s *Scratch) Lookup(ctx context.Context, in object.ID, path string) (object.Entry, error) {
	root, err := s.Root(ctx, string(in))
	if err != nil {
		return object.Entry{}, err
	}
	at := object.Entry{Mode: object.ModeDir, ID: root}
	for name := range strings.SplitSeq(path, "/") {
		if at.Mode != object.ModeDir {
			return object.Entry{}, fmt.Errorf("look up '%s': %w", path, object.ErrMissing)
		}
		entries, err := s.entries(ctx, at.ID)
		if err != nil {
			return object.Entry{}, err
		}
		i := slices.IndexFunc(entries, func(e object.RawEntry) bool { return e.Name == name })
		if i < 0 {
			return object.Entry{}, fmt.Errorf("look up '%s': %w", path, object.ErrMissing)
		}
		at = object.Entry{Name: name, Mode: entries[i].Mode, ID: entries[i].Hex()}
	}
	return at, nil
}

// Root returns the tree of a commit, which may be given by any name that git knows.
func (s *Scratch) Root(ctx context.Context, commit string) (object.ID, error) {
	id := object.ID(commit)
	if tree, ok := s.made[id]; ok {
		return tree, nil
	}
	if _, ok := s.dirs[id]; ok {
		return id, nil
	}
	if tree, ok := s.roots[commit]; ok {
		return tree, nil
	}
	o, err := s.Object(ctx, commit+"^{tree}")
	if err != nil {
		return "", err
	}
	s.roots[commit] = o.ID
	_, err = s.remember(o)
	return o.ID, err
}

func (s *Scratch) entries(ctx context.Context, tree object.ID) ([]object.RawEntry, error) {
	if entries, ok := s.dirs[tree]; ok {
		return entries, nil
	}
	o, err := s.Object(ctx, string(tree))
	if err != nil {
		return nil, err
	}
	return s.remember(o)
}

// mostDirs limits how many directories are remembered.
const mostDirs = 4096

// remember parses a tree and keeps its entries, because the same directories are looked up again and again.
func (s *Scratch) remember(o object.Object) ([]object.RawEntry, error) {
	entries, err := directory(o)
	if err != nil {
		return nil, err
	}
	if len(s.dirs) >= mostDirs {
		clear(s.dirs)
	}
	s.dirs[o.ID] = entries
	return entries, nil
}

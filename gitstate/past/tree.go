package past

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/store"
)

// Changed lists the differences between two trees or commits, sorted by path, without detecting renames. It reads only the directories
// that differ, through the running helper process.
func Changed(ctx context.Context, r *gitstate.Repo, from, to object.ID) ([]Delta, error) {
	return changed(ctx, r, from, to)
}

// Changed lists the differences between two trees or commits. Unlike the function of the same name, it also accepts commits from
// MakeCommit, if their trees are in the repository.
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
	w := treeWalk{ctx: ctx, from: r}
	a, err := r.Objects.TreeOf(ctx, from)
	if err != nil {
		return nil, fmt.Errorf("compare %s and %s: %w", from, to, err)
	}
	b, err := r.Objects.TreeOf(ctx, to)
	if err != nil {
		return nil, fmt.Errorf("compare %s and %s: %w", from, to, err)
	}
	todo := []treePair{{"", a, b}}
	for len(todo) > 0 {
		next, err := w.level(todo)
		if err != nil {
			return nil, fmt.Errorf("compare %s and %s: %w", from, to, err)
		}
		todo = next
	}
	slices.SortFunc(w.out, func(a, b Delta) int { return cmp.Compare(a.Path, b.Path) })
	return w.out, nil
}

// treeWalk compares two trees level by level, so that all directories of one level are requested at once.
type treeWalk struct {
	ctx  context.Context
	from *gitstate.Repo
	out  []Delta
	next []treePair
}

// treePair is one directory in both trees. The fields a and b name its tree object in each of them; a name is empty if that tree does not
// contain the directory.
type treePair struct{ prefix, a, b string }

func (w *treeWalk) level(todo []treePair) ([]treePair, error) {
	var names []string
	for _, p := range todo {
		for _, name := range []string{p.a, p.b} {
			if name != "" {
				names = append(names, name)
			}
		}
	}
	read := make([][]rawEntry, len(names))
	err := w.from.Objects.Each(w.ctx, names, store.Wanted{Kinds: []string{"tree"}}, func(i int, o object.Object) (err error) {
		read[i], err = rawEntries(o)
		return err
	})
	if err != nil {
		return nil, err
	}
	w.next = nil
	take := func(name string) (out []rawEntry) {
		if name != "" {
			out, read = read[0], read[1:]
		}
		return out
	}
	for _, p := range todo {
		left := take(p.a)
		w.dirs(p.prefix, left, take(p.b))
	}
	return w.next, nil
}

// rawEntry is one entry of a stored tree, with the id in bytes.
type rawEntry struct {
	name string
	mode uint32
	id   []byte
}

func (e rawEntry) version() object.Version {
	return object.Version{Mode: e.mode, ID: object.ID(hex.EncodeToString(e.id))}
}

func (w *treeWalk) dirs(prefix string, left, right []rawEntry) {
	for len(left) > 0 || len(right) > 0 {
		var x, y rawEntry
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
func headOrder(left, right []rawEntry) int {
	switch {
	case len(left) == 0:
		return 1
	case len(right) == 0:
		return -1
	}
	return cmp.Compare(left[0].sortKey(), right[0].sortKey())
}

func (e rawEntry) sortKey() string {
	if e.mode == object.ModeDir {
		return e.name + "/"
	}
	return e.name
}

// entry compares the entries x and y, which have the same name in two directories. If one of them is zero, its directory does not contain
// the name.
func (w *treeWalk) entry(prefix string, x, y rawEntry) {
	if x.mode == y.mode && bytes.Equal(x.id, y.id) {
		return
	}
	path := prefix + x.name
	if x.mode == 0 {
		path = prefix + y.name
	}
	if x.mode == object.ModeDir || y.mode == object.ModeDir {
		w.next = append(w.next, treePair{path + "/", treeName(x), treeName(y)})
		return
	}
	d := Delta{Path: path, OldPath: path, Letter: 'M'}
	switch {
	case x.mode == 0:
		d.New, d.Letter = y.version(), 'A'
	case y.mode == 0:
		d.Old, d.Letter = x.version(), 'D'
	default:
		d.Old, d.New = x.version(), y.version()
		if x.mode>>12 != y.mode>>12 {
			d.Letter = 'T'
		}
	}
	w.out = append(w.out, d)
}

func treeName(e rawEntry) string {
	if e.mode != object.ModeDir {
		return ""
	}
	return hex.EncodeToString(e.id)
}

// rawEntries parses a stored tree. The ids in it are as long as the tree's own id.
func rawEntries(o object.Object) ([]rawEntry, error) {
	size := len(o.ID) / 2
	out := make([]rawEntry, 0, len(o.Data)/(size+16)+1)
	for data := o.Data; len(data) > 0; {
		head, rest, ok := bytes.Cut(data, []byte{0})
		mode, name, named := strings.Cut(string(head), " ")
		m, err := strconv.ParseUint(mode, 8, 32)
		if o.Type != "tree" || !ok || !named || err != nil || len(rest) < size {
			return nil, fmt.Errorf("read tree %s: it is damaged", o.ID)
		}
		out = append(out, rawEntry{name: name, mode: canonical(uint32(m)), id: rest[:size]})
		data = rest[size:]
	}
	return out, nil
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
	at := object.Entry{Mode: object.ModeDir}
	next := string(in) + "^{tree}"
	for name := range strings.SplitSeq(path, "/") {
		if at.Mode != object.ModeDir {
			return object.Entry{}, fmt.Errorf("look up '%s': %w", path, object.ErrMissing)
		}
		o, err := s.Object(ctx, next)
		if err != nil {
			return object.Entry{}, err
		}
		entries, err := rawEntries(o)
		if err != nil {
			return object.Entry{}, err
		}
		i := slices.IndexFunc(entries, func(e rawEntry) bool { return e.name == name })
		if i < 0 {
			return object.Entry{}, fmt.Errorf("look up '%s': %w", path, object.ErrMissing)
		}
		v := entries[i].version()
		at = object.Entry{Name: name, Mode: v.Mode, ID: v.ID}
		next = string(v.ID)
	}
	return at, nil
}

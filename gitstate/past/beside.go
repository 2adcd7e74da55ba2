package past

import (
	"bytes"
	"context"
	"fmt"

	"github.com/git-resume/git-resume/gitstate/object"
)

// ChangedBeside lists the differences between the trees base and theirs. The result "clean" is true if git can certainly merge theirs and
// ours: theirs only adds and changes files, and ours equals the base at the paths of these files. If "clean" is false, the merge may still
// be clean.
//
// If "clean" is true, renames cannot make the merge fail. Theirs removes no file, so git finds no rename in theirs. A rename in ours
// matters only if it removes or adds one of the files that theirs adds or changes, or if it removes a directory to which theirs adds a
// file. In each of these cases, ours differs from the base at such a path, so "clean" is false.
func (s *Scratch) ChangedBeside(ctx context.Context, base, ours, theirs object.ID) (byTheirs []Delta, clean bool, err error) {
	w := newTreeWalk(ctx, s.underlying)
	w.beside = &beside{tree: ours, same: true}
	if err := w.compare(base, theirs); err != nil {
		return nil, false, fmt.Errorf("compare %s and %s: %w", base, theirs, err)
	}
	return w.out, w.beside.same, nil
}

// beside checks our tree while a treeWalk compares the base with the tree of the other side, which is called theirs. Where theirs differs
// from the base, ours must not differ from the base. A nil beside checks nothing.
type beside struct {
	tree object.ID
	// The field "same" is true as long as it is certain that git can merge theirs with ours.
	same bool
	// The field "here" has the entries of ours for the directory that is being compared. It is nil if this directory has the same content
	// in ours as in the base.
	here map[string]object.RawEntry
	// The field "last" is the name of the last entry in this directory in which the tree of the other side differs from the base.
	last string
}

// root returns the id of our tree. It returns "" if there is nothing to compare, because b is nil or our tree is the base.
func (b *beside) root(base object.ID) string {
	if b == nil || b.tree == base {
		return ""
	}
	return string(b.tree)
}

// enter is called before the entries of a directory are compared. The argument "differs" says whether this directory is different in our
// tree and in the base. The argument "entries" has its entries in our tree.
func (b *beside) enter(differs bool, entries []object.RawEntry) {
	if b == nil {
		return
	}
	b.here, b.last = nil, ""
	if differs && b.same {
		b.here = make(map[string]object.RawEntry, len(entries))
		for _, e := range entries {
			b.here[e.Name] = e
		}
		b.same = len(b.here) == len(entries) // if a name occurs twice, the tree is damaged
	}
}

// entry is called for each entry of a directory that differs between the base and theirs: x is the entry in the base, and y the entry in
// theirs. It sets the field "same" to false if theirs removes the entry or changes its type, or if ours differs from the base in this entry
// too. But if the base and ours both have a directory here, entry does not decide yet. It returns the id of our directory, so that the
// files in it are compared one by one.
func (b *beside) entry(x, y object.RawEntry) (dir string) {
	if b == nil || !b.same {
		return ""
	}
	if y.Mode == 0 || x.Mode != 0 && x.Mode>>12 != y.Mode>>12 || y.Name == b.last {
		b.same = false // theirs removes a file, or replaces it with something of another kind, or has a name twice
		return ""
	}
	b.last = y.Name
	if b.here == nil {
		return ""
	}
	ours := b.here[y.Name]
	switch {
	case ours.Mode == x.Mode && bytes.Equal(ours.ID, x.ID):
		return ""
	case x.Mode == object.ModeDir && ours.Mode == object.ModeDir:
		return treeName(ours)
	}
	b.same = false
	return ""
}

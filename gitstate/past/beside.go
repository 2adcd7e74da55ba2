package past

import (
	"bytes"
	"context"
	"fmt"

	"github.com/git-resume/git-resume/gitstate/object"
)

// ChangedBeside lists the differences between the trees base and theirs. It also reports whether git can certainly merge theirs and ours
// with this base, because theirs only adds and changes files, and ours has none of these changed.
//
// Then git finds no renamed file on their side, because a rename removes a file. A rename on our side does not matter to git, because it
// would remove or add one of these files, or remove a directory to which theirs adds a file. If the bool is false, the merge may still be
// clean.
func (s *Scratch) ChangedBeside(ctx context.Context, base, ours, theirs object.ID) (byTheirs []Delta, clean bool, err error) {
	w := newTreeWalk(ctx, s.underlying)
	w.beside = &beside{tree: ours, same: true}
	if err := w.compare(base, theirs); err != nil {
		return nil, false, fmt.Errorf("compare %s and %s: %w", base, theirs, err)
	}
	return w.out, w.beside.same, nil
}

// beside compares the differences that a treeWalk finds between a base and their tree with our tree. A nil beside compares nothing.
type beside struct {
	tree object.ID
	// same is false as soon as ours may not be the same as the base where theirs differs from the base.
	same bool
	// The field "here" has the entries of ours for the directory that is being compared. It is nil if this directory has the same content
	// in ours as in the base.
	here map[string]object.RawEntry
	// The field "last" is the name of the last difference in this directory.
	last string
}

// root returns the name of our tree, if it must be read.
func (b *beside) root(base object.ID) string {
	if b == nil || b.tree == base {
		return ""
	}
	return string(b.tree)
}

// enter begins a directory.
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
		b.same = len(b.here) == len(entries) // a damaged tree has a name twice
	}
}

// entry compares a difference with ours: the base has the entry x, and theirs has y. It returns the name of our directory, if its content
// must be compared too.
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

package notes

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
)

// Limit is the size at which a note is full. Later lines are stored in a new note that is attached to the full note's id. So the cost of an
// append does not grow with the number of events at one commit.
const Limit = 32 << 10

// flatLimit is the largest number of notes in a flat tree. A larger tree is divided into subtrees, as git does too.
const flatLimit = 64

// Most limits how many notes of one journal are read. For 10,000 events, about a hundred notes are enough.
const Most = 200_000

// These limits protect us from huge journals, because anybody may have written a journal. Our own notes have at most about 50 KB, and a
// few times more if lines of several clones were merged.
const (
	MaxBlob  = 8 << 20
	maxBytes = 32 << 20
	maxLines = 100_000
)

// objects reads git objects. Notes trees are read and changed with these methods only.
type objects interface {
	Object(ctx context.Context, name string) (object.Object, error)
	Tree(ctx context.Context, name string) ([]object.Entry, error)
}

// note is one entry of a notes tree: the object that the note is attached to, and the blob of the note.
type note struct{ key, blob object.ID }

// isDoc reports whether a note is attached to its own id. Such a note is a document and does not contain lines.
func (n note) isDoc() bool { return n.key == n.blob }

// listNotes lists the notes of a tree, however the tree is divided into subtrees.
func listNotes(ctx context.Context, o objects, tree object.ID) ([]note, error) {
	w := noteWalk{o: o, known: map[string][]object.Entry{}}
	err := w.walk(ctx, string(tree), "")
	return w.found, err
}

// noteWalk lists the notes of a tree. It limits the number of all entries that it visits, because a few nested trees can
// expand to an almost endless number.
type noteWalk struct {
	o     objects
	known map[string][]object.Entry
	found []note
	seen  int
}

func (w *noteWalk) walk(ctx context.Context, tree, prefix string) error {
	entries, ok := w.known[tree]
	if !ok {
		var err error
		if entries, err = w.o.Tree(ctx, tree); err != nil {
			return err
		}
		w.known[tree] = entries
	}
	if w.seen += len(entries) + 1; w.seen > 2*Most {
		return fmt.Errorf("the record of a run has too many notes; git-resume reads at most about %d of them", Most)
	}
	for _, e := range entries {
		name := prefix + e.Name
		switch {
		case e.Mode == object.ModeDir && len(e.Name) == 2 && len(name) < 64 && isHex(e.Name):
			if err := w.walk(ctx, string(e.ID), name); err != nil {
				return err
			}
		case object.IsID(name):
			w.found = append(w.found, note{object.ID(name), e.ID})
		}
	}
	return nil
}

func isHex(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }

// Tree is a notes tree that is being changed. It reads subtrees only when they are needed.
type Tree struct {
	o    objects
	root []object.Entry
	subs map[string][]object.Entry
}

// Open reads a tree in order to change it. An empty id means a new tree.
func Open(ctx context.Context, o objects, tree object.ID) (*Tree, error) {
	t := &Tree{o: o, subs: map[string][]object.Entry{}}
	if tree == "" {
		return t, nil
	}
	var err error
	t.root, err = o.Tree(ctx, string(tree))
	return t, err
}

// Get returns the id of the note that is attached to an object, or "" if there is none. It looks in the root tree, and in the subtree that
// is named after the first two digits of the object's id.
func (t *Tree) Get(ctx context.Context, key object.ID) (object.ID, error) {
	if e := find(t.root, string(key)); e != nil {
		return e.ID, nil
	}
	sub, err := t.sub(ctx, string(key[:2]))
	if err != nil {
		return "", err
	}
	if e := find(sub, string(key[2:])); e != nil {
		return e.ID, nil
	}
	return "", nil
}

func (t *Tree) sub(ctx context.Context, name string) ([]object.Entry, error) {
	if s, ok := t.subs[name]; ok {
		return s, nil
	}
	e := find(t.root, name)
	if e == nil || e.Mode != object.ModeDir {
		return nil, nil
	}
	s, err := t.o.Tree(ctx, string(e.ID))
	t.subs[name] = s
	return s, err
}

// Set replaces the note of an object, or adds one. A note that is in the root tree stays there even if other notes are in subtrees.
// Otherwise readers would see two notes for the object.
func (t *Tree) Set(ctx context.Context, key, blob object.ID) error {
	entry := object.Entry{Mode: object.ModeFile, ID: blob}
	if e := find(t.root, string(key)); e != nil || !t.fanned() {
		entry.Name = string(key)
		t.root = replace(t.root, entry)
		return nil
	}
	dir := string(key[:2])
	sub, err := t.sub(ctx, dir)
	if err != nil {
		return err
	}
	entry.Name = string(key[2:])
	t.subs[dir] = replace(sub, entry)
	return nil
}

func (t *Tree) fanned() bool {
	for _, e := range t.root {
		if e.Mode == object.ModeDir {
			return true
		}
	}
	return len(t.subs) > 0
}

// Write adds the changed trees to p and returns the id of the root tree.
func (t *Tree) Write(p *object.Pending) object.ID {
	if len(t.root) > flatLimit && !t.fanned() && onlyNotes(t.root) {
		for _, e := range t.root {
			t.subs[e.Name[:2]] = append(t.subs[e.Name[:2]], object.Entry{Name: e.Name[2:], Mode: e.Mode, ID: e.ID})
		}
		t.root = nil
	}
	for name, sub := range t.subs {
		id := p.Add("tree", object.TreeData(sub))
		t.root = replace(t.root, object.Entry{Name: name, Mode: object.ModeDir, ID: id})
	}
	return p.Add("tree", object.TreeData(t.root))
}

func onlyNotes(entries []object.Entry) bool {
	for _, e := range entries {
		if !object.IsID(e.Name) {
			return false
		}
	}
	return true
}

func find(entries []object.Entry, name string) *object.Entry {
	for i := range entries {
		if entries[i].Name == name {
			return &entries[i]
		}
	}
	return nil
}

func replace(entries []object.Entry, e object.Entry) []object.Entry {
	if old := find(entries, e.Name); old != nil {
		*old = e
		return entries
	}
	return append(entries, e)
}

// SplitLines returns the lines of a note that are not blank.
func SplitLines(data []byte) []string {
	var out []string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSuffix(line, "\n"); strings.TrimSpace(line) != "" {
			out = append(out, line)
		}
	}
	return out
}

package notes

import (
	"cmp"
	"maps"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
)

// sheet is a journal as it is stored: which note is attached to which object, and the text of the notes.
// It depends only on the set of lines, documents and unreadable notes, so that clones with the same contents
// have the same tree, in whatever order they learned of them.
type sheet struct {
	notes map[object.ID]object.ID
	Texts map[object.ID][]byte
}

// LayOut assigns every line to a note. A line belongs to its own head, otherwise to the base commit; the lines of one object
// are split before the limit would be exceeded, and each further note is attached to the id of the note before it.
func LayOut(h object.Hasher, c Contents) sheet {
	s := sheet{notes: map[object.ID]object.ID{}, Texts: map[object.ID][]byte{}}
	for id := range c.Docs {
		s.notes[id] = id
	}
	taken := func(key object.ID) bool { _, ok := s.notes[key]; return ok }
	s.keepLost(h, c.lost)
	sorted := checkpoint.Sorted(c.Lines)
	base := BaseOf(sorted)
	groups := map[object.ID][]checkpoint.Line{}
	for _, l := range sorted {
		key := anchor(h, l, base, taken)
		groups[key] = append(groups[key], l)
	}
	anchors := slices.Sorted(maps.Keys(groups))
	// Assign all objects first, because a further note must never take the place of another object's first note.
	reserved := func(key object.ID) bool { return taken(key) || groups[key] != nil }
	for _, key := range anchors {
		s.hang(h, key, groups[key], reserved)
	}
	return s
}

// keepLost leaves unreadable notes where they are, in case they become readable again.
// If several clones have lost different notes of one object, the note with the smallest id keeps the place; a note without a place is
// attached to an id made from its own, and such an id gives it no claim to a place when it is read again.
func (s sheet) keepLost(h object.Hasher, lost []note) {
	sorted := slices.SortedFunc(slices.Values(lost), func(a, b note) int {
		return cmp.Or(cmp.Compare(a.blob, b.blob), cmp.Compare(a.key, b.key))
	})
	hung := map[object.ID]bool{}
	for _, docs := range []bool{true, false} {
		for _, n := range sorted {
			if _, taken := s.notes[n.key]; n.isDoc() == docs && !taken && n.key != madeFrom(h, n.blob) {
				s.notes[n.key] = n.blob
			}
			hung[n.blob] = hung[n.blob] || s.notes[n.key] == n.blob
		}
	}
	taken := func(key object.ID) bool { _, ok := s.notes[key]; return ok }
	for _, n := range sorted {
		if !hung[n.blob] {
			s.notes[nextKey(h, madeFrom(h, n.blob), taken)], hung[n.blob] = n.blob, true
		}
	}
}

// hang stores the lines of one object in as many notes as they need.
func (s sheet) hang(h object.Hasher, key object.ID, lines []checkpoint.Line, reserved func(object.ID) bool) {
	var text []byte
	put := func() object.ID {
		id := h.ID("blob", text)
		s.notes[key], s.Texts[id] = id, text
		return id
	}
	for _, l := range byPlace(lines) {
		if len(text) > 0 && len(text)+len(l.Text)+1 > Limit {
			key = nextKey(h, put(), reserved)
			text = nil
		}
		text = append(append(text, l.Text...), '\n')
	}
	put()
}

// byPlace orders the lines within a note: unreadable ones first, by their bytes, then the others in journal order.
func byPlace(sorted []checkpoint.Line) []checkpoint.Line {
	bad := slices.IndexFunc(sorted, func(l checkpoint.Line) bool { return l.Bad })
	if bad < 0 {
		return sorted
	}
	out := slices.Clone(sorted[bad:])
	slices.SortFunc(out, func(a, b checkpoint.Line) int { return cmp.Compare(a.Text, b.Text) })
	return append(out, sorted[:bad]...)
}

// nextKey returns where the next note is attached: to the id of the note before, or, if that place is taken, to an id made from it.
func nextKey(h object.Hasher, piece object.ID, reserved func(object.ID) bool) object.ID {
	for reserved(piece) {
		piece = madeFrom(h, piece)
	}
	return piece
}

// madeFrom makes an id for a note that cannot be attached to the given one.
func madeFrom(h object.Hasher, id object.ID) object.ID {
	return h.ID("blob", []byte(string(id)+"\n"))
}

// BaseOf returns the base commit named by the first line that starts a run.
func BaseOf(sorted []checkpoint.Line) object.ID {
	for _, l := range sorted {
		if !l.Bad && l.Event.Event.Begins() && l.Event.Base != nil {
			return l.Event.Base.Commit
		}
	}
	return ""
}

// anchor returns the object that a line belongs to; if a document has that place, the base, and as a last resort the empty tree.
func anchor(h object.Hasher, l checkpoint.Line, base object.ID, taken func(object.ID) bool) object.ID {
	if !l.Bad && l.Event.Head != "" && !taken(l.Event.Head) {
		return l.Event.Head
	}
	if base != "" && !taken(base) {
		return base
	}
	return nextKey(h, h.ID("tree", nil), taken)
}

// Entries writes the notes as a tree: flat if they are few, otherwise all of them fanned out by two digits.
func (s sheet) Entries(p *object.Pending) object.ID {
	if len(s.notes) <= flatLimit {
		var flat []object.Entry
		for key, blob := range s.notes {
			flat = append(flat, object.Entry{Name: string(key), Mode: object.ModeFile, ID: blob})
		}
		return p.Add("tree", object.TreeData(flat))
	}
	subs := map[string][]object.Entry{}
	for key, blob := range s.notes {
		dir := string(key[:2])
		subs[dir] = append(subs[dir], object.Entry{Name: string(key[2:]), Mode: object.ModeFile, ID: blob})
	}
	var top []object.Entry
	for dir, entries := range subs {
		top = append(top, object.Entry{Name: dir, Mode: object.ModeDir, ID: p.Add("tree", object.TreeData(entries))})
	}
	return p.Add("tree", object.TreeData(top))
}

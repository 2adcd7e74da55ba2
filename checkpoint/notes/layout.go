package notes

import (
	"cmp"
	"maps"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
)

// sheet is the stored form of a journal: which note is attached to which object, and the texts of the notes. Clones with the same
// contents have the same sheet.
type sheet struct {
	notes map[object.ID]object.ID
	Texts map[object.ID][]byte
}

// LayOut assigns every line to a note. Lines with the same anchor, usually their commit, form a group. The first note of a group is
// attached to the anchor.
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
	// First reserve the objects of all groups. Otherwise a second note of one group could be stored where the first note of
	// another group belongs.
	reserved := func(key object.ID) bool { return taken(key) || groups[key] != nil }
	for _, key := range anchors {
		s.storeLines(h, key, groups[key], reserved)
	}
	return s
}

// keepLost keeps unreadable notes, in case their blobs come back. An object can have only one note. If the object of an unreadable note
// already has another note, keepLost attaches the unreadable one to an id that is derived from its blob.
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

// storeLines stores the lines of one object in as many notes as necessary.
func (s sheet) storeLines(h object.Hasher, key object.ID, lines []checkpoint.Line, reserved func(object.ID) bool) {
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

// byPlace returns the lines in the order of a note: first the unreadable lines, sorted by their bytes, then the others in
// journal order.
func byPlace(sorted []checkpoint.Line) []checkpoint.Line {
	bad := slices.IndexFunc(sorted, func(l checkpoint.Line) bool { return l.Bad })
	if bad < 0 {
		return sorted
	}
	out := slices.Clone(sorted[bad:])
	slices.SortFunc(out, func(a, b checkpoint.Line) int { return cmp.Compare(a.Text, b.Text) })
	return append(out, sorted[:bad]...)
}

// nextKey returns the id to which the next note is attached. Usually this is the id of the previous note. If that id is already in use,
// nextKey returns a derived id.
func nextKey(h object.Hasher, piece object.ID, reserved func(object.ID) bool) object.ID {
	for reserved(piece) {
		piece = madeFrom(h, piece)
	}
	return piece
}

// madeFrom derives another id from an id. The same id always gives the same result.
func madeFrom(h object.Hasher, id object.ID) object.ID {
	return h.ID("blob", []byte(string(id)+"\n"))
}

// BaseOf returns the base commit of the first line that starts a run and has a base, or "" if there is no such line.
func BaseOf(sorted []checkpoint.Line) object.ID {
	for _, l := range sorted {
		if !l.Bad && l.Event.Event.Begins() && l.Event.Base != nil {
			return l.Event.Base.Commit
		}
	}
	return ""
}

// anchor returns the object to which a line is attached: its commit, otherwise the base commit, otherwise the empty tree. It
// skips an object that already has another note.
func anchor(h object.Hasher, l checkpoint.Line, base object.ID, taken func(object.ID) bool) object.ID {
	if !l.Bad && l.Event.Head != "" && !taken(l.Event.Head) {
		return l.Event.Head
	}
	if base != "" && !taken(base) {
		return base
	}
	return nextKey(h, h.ID("tree", nil), taken)
}

// Entries writes the notes as a tree. A small tree is flat. In a large tree, ids with the same first two digits are in the same subtree.
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

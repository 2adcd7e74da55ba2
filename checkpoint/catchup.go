package checkpoint

import (
	"bytes"
	"context"

	"github.com/git-resume/git-resume/gitstate"
)

// catchUp brings a cached state forward to the tips of j by the lines that were added since, and nothing else.
// Whoever executes writes its state down a few times a second, so that after a kill the file is a little old;
// readers write nothing, and would else read the whole journal each time.
// It gives up, and the journal is read whole, unless lines were only appended, in order, by ourselves.
func (s *Store) catchUp(ctx context.Context, c *cacheFile, j *Journal) bool {
	if c.Published != c.Tip || j.Published != j.Tip {
		return false
	}
	tree, err := s.treeOf(ctx, j.Tip)
	if err != nil {
		return false
	}
	added, ok := s.addedLines(ctx, c.Run.ID, c.Tree, tree)
	if !ok || !c.Run.extend(added.lines, added.docs) {
		return false
	}
	j.Run, j.Tree, j.tail = c.Run, tree, tail{Canonical: c.Tail.Canonical, Base: c.Tail.Base}
	return true
}

// extend folds lines that were appended to the ones already folded.
// It refuses, and the run is spoilt, where only the whole set of lines says what they mean.
func (r *Run) extend(lines []Line, docs Docs) bool {
	for _, l := range Sorted(lines) {
		seq, known := l.Event.number()
		_, planned := docs[l.Event.Plan]
		if l.Bad || !known || seq <= r.Top || l.Ours != r.Rooted || l.Event.Event == Undone || l.Event.Event.begins() || l.Event.Plan != "" && !planned {
			return false
		}
		if r.Heard != nil && (l.Event.Plan != "" || l.Event.Task != "" && r.Task(l.Event.Task) == nil) {
			return false // others may have spoken of a task before we knew it
		}
		r.count(l)
		r.apply(l, docs)
	}
	return true
}

// addedLines are what one notes tree has and an older one has not; ok is false if anything else differs.
func (s *Store) addedLines(ctx context.Context, id RunID, before, after gitstate.OID) (out contents, ok bool) {
	out.docs = Docs{}
	was, now := map[gitstate.OID]gitstate.OID{}, map[gitstate.OID]gitstate.OID{}
	d := noteDiff{o: s.Repo.Objects, was: was, now: now}
	if err := d.compare(ctx, string(before), string(after), ""); err != nil {
		return out, false
	}
	for key := range was {
		if now[key] == "" {
			return out, false
		}
	}
	for key, blob := range now {
		if was[key] == blob {
			continue
		}
		text, err := s.Repo.Objects.BlobUpTo(ctx, blob, maxNote)
		if err != nil {
			return out, false
		}
		if key == blob {
			out.docs[key] = text
			continue
		}
		if old := was[key]; old != "" {
			head, err := s.Repo.Objects.BlobUpTo(ctx, old, maxNote)
			if err != nil || !bytes.HasPrefix(text, head) {
				return out, false
			}
			text = text[len(head):]
		}
		for _, line := range splitLines(text) {
			out.lines = append(out.lines, s.line(id, line))
		}
	}
	return out, true
}

// noteDiff collects the notes of two trees that are not in subtrees which both have.
type noteDiff struct {
	o        objects
	was, now map[gitstate.OID]gitstate.OID
}

func (d *noteDiff) compare(ctx context.Context, before, after, prefix string) error {
	old, err := d.o.Tree(ctx, before)
	if err != nil {
		return err
	}
	fresh, err := d.o.Tree(ctx, after)
	if err != nil {
		return err
	}
	same := map[gitstate.Entry]bool{}
	for _, e := range old {
		same[e] = true
	}
	for _, e := range fresh {
		was := find(old, e.Name)
		if was != nil && *was == e {
			delete(same, e)
			continue
		}
		if e.Mode == gitstate.ModeDir && was != nil && was.Mode == gitstate.ModeDir && prefix == "" {
			delete(same, *was)
			if err := d.compare(ctx, string(was.ID), string(e.ID), e.Name); err != nil {
				return err
			}
			continue
		}
		if err := d.side(ctx, d.now, prefix, e); err != nil {
			return err
		}
	}
	for e := range same {
		if err := d.side(ctx, d.was, prefix, e); err != nil {
			return err
		}
	}
	return nil
}

// side notes everything below one entry that only one of the trees has.
func (d *noteDiff) side(ctx context.Context, to map[gitstate.OID]gitstate.OID, prefix string, e gitstate.Entry) error {
	w := noteWalk{o: d.o, known: map[string][]gitstate.Entry{"": {e}}}
	if err := w.walk(ctx, "", prefix); err != nil {
		return err
	}
	for _, n := range w.found {
		to[n.key] = n.blob
	}
	return nil
}

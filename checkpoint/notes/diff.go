package notes

import (
	"context"

	"github.com/git-resume/git-resume/gitstate/object"
)

// Diff compares two notes trees. It returns the notes of the first tree and those of the second, without the entries and subtrees that
// are equal in both.
func Diff(ctx context.Context, o objects, before, after object.ID) (was, now map[object.ID]object.ID, err error) {
	d := noteDiff{o: o, was: map[object.ID]object.ID{}, now: map[object.ID]object.ID{}}
	err = d.compare(ctx, string(before), string(after), "")
	return d.was, d.now, err
}

// noteDiff collects the notes of two trees, without the entries and subtrees that are equal in both.
type noteDiff struct {
	o        objects
	was, now map[object.ID]object.ID
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
	same := map[object.Entry]bool{}
	for _, e := range old {
		same[e] = true
	}
	for _, e := range fresh {
		was := find(old, e.Name)
		if was != nil && *was == e {
			delete(same, e)
			continue
		}
		if e.Mode == object.ModeDir && was != nil && was.Mode == object.ModeDir && prefix == "" {
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

// side records in the map "to" all notes at or below one entry of a tree. The other tree has no equal entry there.
func (d *noteDiff) side(ctx context.Context, to map[object.ID]object.ID, prefix string, e object.Entry) error {
	w := noteWalk{o: d.o, known: map[string][]object.Entry{"": {e}}}
	if err := w.walk(ctx, "", prefix); err != nil {
		return err
	}
	for _, n := range w.found {
		to[n.key] = n.blob
	}
	return nil
}

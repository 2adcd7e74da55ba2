package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/plan"
)

// treeOf is the notes tree of a journal: a commit's, or the tree itself, as servers hold it.
func treeOf(ctx context.Context, r *gitstate.Repo, tip gitstate.OID) (gitstate.OID, error) {
	c, err := r.Objects.Commit(ctx, string(tip))
	if err == nil {
		return c.Tree, nil
	}
	if o, treeErr := r.Objects.Object(ctx, string(tip)); treeErr == nil && o.Type == "tree" {
		return o.ID, nil
	}
	return "", err
}

// contents is what notes trees hold: lines, documents, and notes that cannot be read.
type contents struct {
	lines []Line
	docs  Docs
	lost  []note
	bytes int // of lines
	// blobs are the notes that are stored already.
	blobs map[gitstate.OID]bool
}

func newContents() *contents {
	return &contents{docs: Docs{}, blobs: map[gitstate.OID]bool{}}
}

// unite adds what another set has; it reports whether that was anything new.
func (c *contents) unite(other *contents) (grown bool) {
	have := make(map[string]int, len(c.lines))
	for i, l := range c.lines {
		have[l.words()] = i
	}
	for _, l := range other.lines {
		switch i, ok := have[l.words()]; {
		case !ok:
			have[l.words()], grown = len(c.lines), true
			c.lines = append(c.lines, l)
		case l.Text < c.lines[i].Text: // with fewer blanks at its end: all clones must keep the same bytes
			c.lines[i], grown = l, true
		}
	}
	for id, doc := range other.docs {
		if _, ok := c.docs[id]; !ok {
			c.docs[id], grown = doc, true
		}
	}
	for _, n := range other.lost {
		grown = c.lose(n) || grown
	}
	for id := range other.blobs {
		c.blobs[id] = true
	}
	return grown
}

// lose keeps a note that cannot be read; it reports whether that is new.
func (c *contents) lose(n note) bool {
	if slices.Contains(c.lost, n) {
		return false
	}
	c.lost = append(c.lost, n)
	return true
}

// lostNotes is how many notes cannot be read.
func (c *contents) lostNotes() int {
	blobs := map[gitstate.OID]bool{}
	for _, n := range c.lost {
		blobs[n.blob] = true
	}
	return len(blobs)
}

// readTree adds what a notes tree holds. A note that cannot be read is counted, and the others are read all the same.
func (c *contents) readTree(ctx context.Context, r *gitstate.Repo, tree gitstate.OID, parse func(text string) Line) error {
	notes, err := listNotes(ctx, r.Objects, tree)
	if err != nil {
		return err
	}
	for _, n := range notes {
		limit := int64(maxNote)
		if n.isDoc() {
			limit = plan.MaxStored
		}
		data, err := r.Objects.BlobUpTo(ctx, n.blob, limit)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, gitstate.ErrKilled):
			return err // the note may be sound
		case err != nil:
			c.lose(n)
		case n.isDoc():
			c.docs[n.key] = data
		case !c.take(data, parse):
			c.lose(n)
		}
		c.blobs[n.blob] = true
	}
	return nil
}

// take adds the lines of a note, unless they are more than anybody's run can have.
func (c *contents) take(data []byte, parse func(text string) Line) bool {
	if c.bytes += len(data); c.bytes > maxBytes || len(c.lines)+bytes.Count(data, []byte("\n")) > maxLines {
		return false
	}
	for _, text := range splitLines(data) {
		c.lines = append(c.lines, parse(text))
	}
	return true
}

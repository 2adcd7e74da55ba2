package notes

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/internal/plan"
)

// TreeOf returns the notes tree of a journal. The tip is usually a commit, but on a server it may be the tree itself.
func TreeOf(ctx context.Context, r *gitstate.Repo, tip object.ID) (object.ID, error) {
	c, err := r.Objects.Commit(ctx, string(tip))
	if err == nil {
		return c.Tree, nil
	}
	if o, treeErr := r.Objects.Object(ctx, string(tip)); treeErr == nil && o.Type == "tree" {
		return o.ID, nil
	}
	return "", err
}

// Contents holds what was read from notes trees: lines, documents, and unreadable notes.
type Contents struct {
	Lines []checkpoint.Line
	Docs  checkpoint.Docs
	lost  []note
	bytes int // total size of the lines
	// Blobs holds the ids of the notes and documents that the repository already stores, so that they are not written again.
	Blobs map[object.ID]bool
}

// New returns the contents of an empty tree.
func New() *Contents {
	return &Contents{Docs: checkpoint.Docs{}, Blobs: map[object.ID]bool{}}
}

// Unite adds the contents of another set. It reports whether anything was new.
func (c *Contents) Unite(other *Contents) (grown bool) {
	have := make(map[string]int, len(c.Lines))
	for i, l := range c.Lines {
		have[l.Words()] = i
	}
	for _, l := range other.Lines {
		switch i, ok := have[l.Words()]; {
		case !ok:
			have[l.Words()], grown = len(c.Lines), true
			c.Lines = append(c.Lines, l)
		case l.Text < c.Lines[i].Text: // the two lines differ only in trailing blanks, and all clones must choose the same one
			c.Lines[i], grown = l, true
		}
	}
	for id, doc := range other.Docs {
		if _, ok := c.Docs[id]; !ok {
			c.Docs[id], grown = doc, true
		}
	}
	for _, n := range other.lost {
		grown = c.addLost(n) || grown
	}
	for id := range other.Blobs {
		c.Blobs[id] = true
	}
	return grown
}

// Minus returns the lines of the first list that are not in the second list.
func Minus(lines, others []checkpoint.Line) []checkpoint.Line {
	have := make(map[string]bool, len(others))
	for _, l := range others {
		have[l.Words()] = true
	}
	return slices.DeleteFunc(slices.Clone(lines), func(l checkpoint.Line) bool { return have[l.Words()] })
}

// addLost remembers a note that cannot be read. It reports whether the note is new.
func (c *Contents) addLost(n note) bool {
	if slices.Contains(c.lost, n) {
		return false
	}
	c.lost = append(c.lost, n)
	return true
}

// LostNotes returns the number of notes that cannot be read.
func (c *Contents) LostNotes() int {
	blobs := map[object.ID]bool{}
	for _, n := range c.lost {
		blobs[n.blob] = true
	}
	return len(blobs)
}

// ReadTree adds the contents of a notes tree. If a note cannot be read, ReadTree counts it and still reads the others.
func (c *Contents) ReadTree(ctx context.Context, r *gitstate.Repo, tree object.ID, parse func(text string) checkpoint.Line) error {
	notes, err := listNotes(ctx, r.Objects, tree)
	if err != nil {
		return err
	}
	for _, n := range notes {
		limit := int64(MaxBlob)
		if n.isDoc() {
			limit = plan.MaxStored
		}
		data, err := r.Objects.BlobUpTo(ctx, n.blob, limit)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, process.ErrKilled):
			return err // git was killed, which says nothing about the note, so do not count the note as lost
		case err != nil:
			c.addLost(n)
		case n.isDoc():
			c.Docs[n.key] = data
		case !c.add(data, parse):
			c.addLost(n)
		}
		c.Blobs[n.blob] = true
	}
	return nil
}

// add adds the lines of a note. If there would then be more than maxBytes or maxLines in total, add adds nothing and returns false. The
// lines of real runs stay far below these limits.
func (c *Contents) add(data []byte, parse func(text string) checkpoint.Line) bool {
	if c.bytes += len(data); c.bytes > maxBytes || len(c.Lines)+bytes.Count(data, []byte("\n")) > maxLines {
		return false
	}
	for _, text := range SplitLines(data) {
		c.Lines = append(c.Lines, parse(text))
	}
	return true
}

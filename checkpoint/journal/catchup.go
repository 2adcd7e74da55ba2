package journal

import (
	"bytes"
	"context"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/notes"
	"github.com/git-resume/git-resume/gitstate/object"
)

// catchUp brings an old cached state up to date by reading only the lines that were added since. If it returns false, the whole journal
// must be read.
func (s cache) catchUp(ctx context.Context, c *cacheFile, j *Journal) bool {
	if c.Published != c.Tip || j.Published != j.Tip {
		return false
	}
	tree, err := notes.TreeOf(ctx, s.repo, j.Tip)
	if err != nil {
		return false
	}
	added, ok := s.addedLines(ctx, c.Run.ID, c.Tree, tree)
	if !ok || !c.Run.Extend(added.Lines, added.Docs) {
		return false
	}
	j.Run, j.Tree, j.tail = c.Run, tree, tail{Canonical: c.Tail.Canonical, Base: c.Tail.Base}
	return true
}

// addedLines returns the lines and documents that are new in the newer notes tree. ok is false if an old note was deleted,
// or changed in any way other than by appending lines.
func (s cache) addedLines(ctx context.Context, id checkpoint.RunID, before, after object.ID) (out notes.Contents, ok bool) {
	out.Docs = checkpoint.Docs{}
	was, now, err := notes.Diff(ctx, s.repo.Objects, before, after)
	if err != nil {
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
		text, err := s.repo.Objects.BlobUpTo(ctx, blob, notes.MaxBlob)
		if err != nil {
			return out, false
		}
		if key == blob {
			out.Docs[key] = text
			continue
		}
		if old := was[key]; old != "" {
			head, err := s.repo.Objects.BlobUpTo(ctx, old, notes.MaxBlob)
			if err != nil || !bytes.HasPrefix(text, head) {
				return out, false
			}
			text = text[len(head):]
		}
		for _, line := range notes.SplitLines(text) {
			out.Lines = append(out.Lines, s.keys.Line(id, line))
		}
	}
	return out, true
}

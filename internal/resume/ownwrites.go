package resume

import (
	"bytes"
	"context"
	"path/filepath"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/sources"
)

// ownWrites are the contents that actions of ours, and their undos, left in files of another system, by full path.
// A nil content stands for a file that they took away.
type ownWrites map[string][]byte

// ownWrites collects what we last wrote to each file, from lines of ours alone: others cannot vouch for a file being ours.
func (e *Engine) ownWrites(ctx context.Context, r *checkpoint.Run) ownWrites {
	if r.Events == 0 || Foreign(r.ID) {
		return nil
	}
	lines, err := e.Store.Lines(ctx, r.ID)
	if err != nil {
		return nil // without a record every change counts as somebody's
	}
	out := ownWrites{}
	deeds := map[string][]sources.Change{}
	for _, l := range lines {
		if !l.Ours {
			continue
		}
		acted, flips := origin(lines, l.Event)
		if acted.Event != checkpoint.RunActed || acted.Name == sources.Hide {
			continue
		}
		if _, known := deeds[acted.ID]; !known {
			deeds[acted.ID], _ = e.loadDeed(ctx, e.deedOf(ctx, r.ID, acted)) // what is not kept any more proves nothing
		}
		for _, c := range deeds[acted.ID] {
			out.add(c, flips%2 == 1)
		}
	}
	return out
}

func (o ownWrites) add(c sources.Change, back bool) {
	if c.Now == nil && !c.Gone {
		return // it was only moved, and kept its time
	}
	content := c.Now
	if back {
		content = c.Was
	}
	o[filepath.Join(c.Tree, filepath.FromSlash(c.Path))] = content
}

// wrote reports whether a file holds, byte for byte, what we wrote there last.
func (o ownWrites) wrote(tree, path string) bool {
	content, ours := o[filepath.Join(tree, filepath.FromSlash(path))]
	if !ours || content == nil {
		return false
	}
	now, err := sources.Files{Top: tree}.Read(path)
	return err == nil && bytes.Equal(now, content)
}

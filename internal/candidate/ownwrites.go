package candidate

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/sources"
)

// ownWrites are the contents that actions of ours, and their undos, left in files of another system, by full path.
// A nil content stands for a file that they took away.
type ownWrites map[string][]byte

// ownWrites collects what we last wrote to each file, from lines of ours alone: others cannot vouch for a file being ours.
func (e *scan) ownWrites(r *checkpoint.Run) ownWrites {
	if r.Events == 0 || RunKey(r.ID).Kind() != OwnRun {
		return nil
	}
	out, known := e.wrote[r.ID]
	if known {
		return out
	}
	lines := e.lines(r.ID)
	out = ownWrites{}
	e.wrote[r.ID] = out
	ctx, deeds := context.Background(), map[string][]sources.Change{}
	for _, l := range lines {
		if !l.Ours {
			continue
		}
		acted, flips := Origin(lines, l.Event)
		if !WroteFiles(acted) {
			continue
		}
		if _, known := deeds[acted.ID]; !known {
			deeds[acted.ID], _ = LoadDeed(ctx, e.Repo, DeedOf(ctx, e.Repo, r.ID, acted)) // what is not kept any more proves nothing
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

// Files have times of whole seconds in some places, and on a busy machine it takes a while from the first file to the record.
const (
	signBefore = 30 * time.Second
	signAfter  = 30 * time.Second
)

// lastWork is when somebody last worked on another system's work. Where its newest sign is what we wrote ourselves,
// it is the one from before that, as the record of the change has it.
func (e *scan) lastWork(r *checkpoint.Run, f *sources.Found) time.Time {
	ours := r.Events > 0 && r.Ours() && RunKey(r.ID).Kind() == OwnRun
	active := f.Active
	if ours && active.After(e.Now()) && e.ownFileTime(r, f) {
		active = r.LastAt // the clock of the files is ahead of the one that we record with
	}
	if !ours || active.Before(r.Started.Add(-signBefore)) || active.After(r.LastAt.Add(signAfter)) {
		return f.Active
	}
	lines := e.lines(r.ID)
	for _, l := range slices.Backward(checkpoint.Sorted(lines)) {
		acted, _ := Origin(lines, l.Event)
		if !l.Ours || !WroteFiles(acted) {
			continue
		}
		since, before := l.Event.At.Add(-signBefore), acted.At.Add(-time.Duration(acted.Silent)*time.Second)
		if active.After(before.Add(time.Second)) && active.Before(since) {
			since = active.Add(-signBefore) // what we write has the time at which it was shown, and a person took a while to agree; an undo brings such a time back
		}
		near := !active.Before(since) && !active.After(l.Event.At.Add(signAfter))
		if acted.Silent == 0 || !near || !e.onlyWe(r, f, since) {
			return f.Active
		}
		return before
	}
	return f.Active
}

// ownFileTime reports whether the newest sign of a work is the time of a file that holds what we wrote there last.
func (e *scan) ownFileTime(r *checkpoint.Run, f *sources.Found) bool {
	own, home := e.ownWrites(r), sources.Files{Top: f.Home}
	return slices.ContainsFunc(f.Files, func(path string) bool {
		return home.Changed(path).Sub(f.Active).Abs() < time.Second && own.wrote(f.Home, path)
	})
}

// onlyWe reports whether every file of a state that changed since then is as we wrote it.
func (e *scan) onlyWe(r *checkpoint.Run, f *sources.Found, since time.Time) bool {
	own, home := e.ownWrites(r), sources.Files{Top: f.Home}
	return !slices.ContainsFunc(f.Files, func(path string) bool {
		return !home.Changed(path).Before(since) && !own.wrote(f.Home, path)
	})
}

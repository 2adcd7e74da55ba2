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

// ownWrites maps the full path of a file of another system to the content that our actions and undos last gave it.
// A nil content means that the file was removed.
type ownWrites map[string][]byte

// ownWrites collects what we last wrote to each file.
// It reads only journal lines that this clone wrote, because lines from elsewhere prove nothing.
func (e *scan) ownWrites(r *checkpoint.Run) ownWrites {
	if r.Events == 0 || RunKey(r.ID).Kind() != OwnRun {
		return nil
	}
	out, known := e.wrote[r.ID]
	if known {
		return out
	}
	lines := e.journalLines(r.ID)
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
			deeds[acted.ID], _ = LoadDeed(ctx, e.Repo, DeedOf(ctx, e.Repo, r.ID, acted)) // if the stored changes are gone, treat them as none
		}
		for _, c := range deeds[acted.ID] {
			out.add(c, flips%2 == 1)
		}
	}
	return out
}

func (o ownWrites) add(c sources.Change, back bool) {
	if c.Now == nil && !c.Gone {
		return // the file was only moved, so its time did not change
	}
	content := c.Now
	if back {
		content = c.Was
	}
	o[filepath.Join(c.Tree, filepath.FromSlash(c.Path))] = content
}

// wrote reports whether a file still has exactly the content that we last wrote to it.
func (o ownWrites) wrote(tree, path string) bool {
	content, ours := o[filepath.Join(tree, filepath.FromSlash(path))]
	if !ours || content == nil {
		return false
	}
	now, err := sources.Files{Top: tree}.Read(path)
	return err == nil && bytes.Equal(now, content)
}

// The time of a file may be this much before or after the time of its record. Some file systems store whole seconds, and a busy machine is
// slow.
const (
	signBefore = 30 * time.Second
	signAfter  = 30 * time.Second
)

// lastWork returns when somebody last worked on another system's work.
// If we made the newest change ourselves, it returns the time of the last work before that change. But if that change set the work back to
// its start, nothing of the earlier work counts any more: then lastWork returns the time of the change, and fresh is true.
func (e *scan) lastWork(r *checkpoint.Run, f *sources.Found) (at time.Time, fresh bool) {
	ours := r.Events > 0 && r.Ours() && RunKey(r.ID).Kind() == OwnRun
	active := f.Active
	if ours && active.After(e.Now()) && e.ownFileTime(r, f) {
		// We wrote the file, and its time is in the future, because the file system's clock is ahead of ours. Such a time does not count.
		active = r.LastAt
	}
	if !ours || active.Before(r.Started.Add(-signBefore)) || active.After(r.LastAt.Add(signAfter)) {
		return f.Active, false
	}
	lines := e.journalLines(r.ID)
	for _, l := range slices.Backward(checkpoint.Sorted(lines)) {
		acted, undos := Origin(lines, l.Event)
		if !l.Ours || !WroteFiles(acted) {
			continue
		}
		since, before := l.Event.At.Add(-signBefore), acted.At.Add(-time.Duration(acted.Silent)*time.Second)
		if active.After(before.Add(time.Second)) && active.Before(since) {
			// The state file contains the time at which we showed the change to the user. After the user had agreed, we wrote the file and
			// recorded the change. So accept a time in the file that is older than the record.
			since = active.Add(-signBefore)
		}
		near := !active.Before(since) && !active.After(l.Event.At.Add(signAfter))
		if acted.Silent == 0 || !near || !e.onlyOurWrites(r, f, since) {
			return f.Active, false
		}
		if acted.Name == sources.StartFresh && undos%2 == 0 {
			return f.Active, true
		}
		return before, false
	}
	return f.Active, false
}

// ownFileTime reports whether the last activity is only the time of a file that we wrote ourselves.
func (e *scan) ownFileTime(r *checkpoint.Run, f *sources.Found) bool {
	own, home := e.ownWrites(r), sources.Files{Top: f.Home}
	return slices.ContainsFunc(f.Files, func(path string) bool {
		return home.Changed(path).Sub(f.Active).Abs() < time.Second && own.wrote(f.Home, path)
	})
}

// onlyOurWrites reports whether we made all changes to the state files since the given time.
func (e *scan) onlyOurWrites(r *checkpoint.Run, f *sources.Found, since time.Time) bool {
	own, home := e.ownWrites(r), sources.Files{Top: f.Home}
	return !slices.ContainsFunc(f.Files, func(path string) bool {
		return !home.Changed(path).Before(since) && !own.wrote(f.Home, path)
	})
}

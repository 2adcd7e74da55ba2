package trash

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/dotgit"
	"github.com/git-resume/git-resume/worktree/place"
	"github.com/git-resume/git-resume/worktree/record"
	"github.com/git-resume/git-resume/worktree/series"
)

// Expiry says what is old enough to be forgotten.
type Expiry struct {
	Now  time.Time
	Keep time.Duration
	// Back tells of a run that was taken back, whatever the record of its discard says; nil if none was.
	Back func(run string) bool
}

// doubt is how long what is due by the clock is kept all the same: a clock that jumped is put right again within that time.
const doubt = 24 * time.Hour

// dueFile holds when something was first seen to be due.
const dueFile = "due"

// Expire forgets what was dropped long ago: trash, snapshots and logs of the runs, kept registrations,
// snapshots of git's own operations,
// and what is left of trees and of cut-off creations. It gives the runs that are no more.
// It also finishes deletions that were put off or cut off, whatever their age.
// A run that is being dropped or brought back right now is passed over.
//
// A clock that is a year ahead for one command must not cost what was kept: what is due is only noted at first,
// and goes when a later look, a day on, finds the note.
func Expire(ctx context.Context, repo *gitstate.Repo, what Expiry) ([]string, error) {
	x := &expiring{repo: repo, Expiry: what}
	x.judge()
	runs, err := x.trash(ctx)
	if err != nil {
		return runs, err
	}
	return runs, errors.Join(x.refs(ctx), x.saved(ctx), x.note())
}

// expiring is one look at what is kept.
type expiring struct {
	repo *gitstate.Repo
	Expiry
	// noted is when something was first seen to be due; zero if that is nowhere, or cannot be.
	noted time.Time
	// before bounds what goes now.
	before time.Time
	// due: something stays that is old enough by the clock.
	due bool
}

// judge reads the note. One from the future was made by a clock that was wrong, and counts for nothing.
func (x *expiring) judge() {
	text, _ := os.ReadFile(x.dueFile()) // none: nothing was due
	noted, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(string(text)))
	if err == nil && !noted.After(x.Now) {
		x.noted = noted
	}
	switch {
	case x.Keep == 0:
		x.before = x.Now.Add(-x.Keep)
	case !x.noted.IsZero() && x.Now.Sub(x.noted) >= min(doubt, x.Keep):
		x.before, x.noted = x.noted.Add(-x.Keep), time.Time{}
	}
}

func (x *expiring) dueFile() string { return x.repo.CommonPath("resume", "trash", dueFile) }

// old reports whether something of that time goes now.
func (x *expiring) old(at time.Time) bool {
	if at.Before(x.before) {
		return true
	}
	x.due = x.due || at.Before(x.Now.Add(-x.Keep))
	return false
}

// note keeps for the next look what this one found.
func (x *expiring) note() error {
	switch {
	case x.due && !x.noted.IsZero():
		return nil
	case x.due:
		if err := dotgit.MkdirAll(filepath.Dir(x.dueFile())); err != nil {
			return err
		}
		return dotgit.WriteFile(x.dueFile(), []byte(x.Now.UTC().Format(time.RFC3339Nano)+"\n"))
	}
	if err := os.Remove(x.dueFile()); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// trash looks at all that was discarded, by this program and by the version before.
func (x *expiring) trash(ctx context.Context) (runs []string, err error) {
	for _, dir := range record.Dirs(x.repo) {
		run, err := x.one(ctx, dir)
		if err != nil {
			return runs, fmt.Errorf("expire '%s': %w", record.NameOf(dir), err)
		}
		if run != "" {
			runs = append(runs, run)
		}
	}
	return runs, nil
}

// one handles one folder; the run's name is given if it is gone for good.
func (x *expiring) one(ctx context.Context, dir string) (string, error) {
	name := record.NameOf(dir)
	d, unlock, err := openDir(x.repo, dir, name)
	var busy *BusyError
	if errors.As(err, &busy) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer unlock()
	d.req.Now = func() time.Time { return x.Now }
	if !d.has {
		return "", nil
	}
	if d.rec.Phase == record.Back && !series.GcAtWork(x.repo) {
		return "", undoing{d}.settle(ctx)
	}
	if err := d.sweep(ctx); err != nil {
		return "", err
	}
	switch {
	case d.rec.Phase != record.Gone && d.rec.Phase != record.Husk || !x.old(d.rec.At):
		return "", nil
	case d.rec.Phase == record.Husk || name != d.rec.Run: // no refs of its own
		return "", d.forget()
	case x.Back != nil && x.Back(d.rec.Run): // the version before took the discard back, and knows nothing of this record
		return "", nil
	}
	for _, what := range []string{series.Discarded, series.Snapshots} {
		if err := series.Of(d.repo, what, d.rec.Run).Drop(ctx); err != nil {
			return "", err
		}
	}
	for _, ref := range []refs.Name{series.TrashRef(d.rec.Run), series.WipRef(d.rec.Run)} {
		if err := series.DropRef(ctx, d.repo, ref); err != nil {
			return "", err
		}
	}
	if err := os.RemoveAll(d.repo.CommonPath("resume", "logs", d.rec.Run)); err != nil {
		return "", err
	}
	return d.rec.Run, d.forget()
}

// forget removes files; the record goes last, so that a kill leaves nothing unknown.
func (d *dropping) forget() error {
	if d.rec.Trash != "" {
		if err := errors.Join(remove(string(d.rec.Trash), ""), remove(asideOf(string(d.rec.Trash)), "")); err != nil {
			return err
		}
	}
	if err := remove(d.kept(), ""); err != nil {
		return err
	}
	for _, name := range []string{record.File, record.OldFile} {
		if err := os.Remove(filepath.Join(d.dir, name)); err != nil && !place.Gone(err) {
			return err
		}
	}
	if err := os.RemoveAll(d.dir); err != nil {
		return err
	}
	return os.Remove(d.dir + ".lock") // held by us, and whoever waits for it looks again
}

// operationMark begins the names under which work is saved before one of git's own operations goes on; no run is called so.
const operationMark = "git."

// ForOperation names the snapshots of one of git's own operations in one worktree.
func ForOperation(op ongoing.Operation, where string) string {
	return operationMark + string(op) + "." + where
}

// saved drops the snapshots of git's own operations that nobody asked for in all that time.
func (x *expiring) saved(ctx context.Context) error {
	return x.each(ctx, series.Snapshots, "wip/", func(name string) bool { return strings.HasPrefix(name, operationMark) })
}

// refs drops what is kept of runs that were brought back, and of files of other systems that were changed long ago.
func (x *expiring) refs(ctx context.Context) error {
	back := func(run string) bool {
		return !record.Has(record.Dir(x.repo, run)) && !record.Has(record.TrashDir(x.repo, run))
	}
	return errors.Join(
		x.each(ctx, series.Discarded, "trash/", func(run string) bool { return back(run) && !strings.HasPrefix(run, series.ActedPart) }),
		x.each(ctx, series.Acted, "trash/"+series.ActedPart, func(string) bool { return true }),
	)
}

// each drops the series of a kind, and the old refs of the same kind, that may go and are old.
func (x *expiring) each(ctx context.Context, what, old string, may func(string) bool) error {
	names, err := x.repo.Refs.Names(ctx, series.Root+what+"/")
	if err != nil {
		return err
	}
	for _, name := range names {
		s := series.Of(x.repo, what, name)
		if r, err := s.Read(ctx); err != nil || !may(name) || !x.oldEntry(ctx, r) {
			continue // what cannot be read is nothing to throw away
		}
		if err := s.Drop(ctx); err != nil {
			return err
		}
	}
	if names, err = x.repo.Refs.Names(ctx, series.Root+old); err != nil {
		return err
	}
	for _, name := range names {
		c, err := x.repo.Objects.Commit(ctx, series.Root+old+name)
		if err != nil || !may(name) || !x.old(c.Committer.When) {
			continue
		}
		if err := series.DropRef(ctx, x.repo, refs.Name(series.Root+old+name)); err != nil {
			return err
		}
	}
	return nil
}

// Kept counts what a discard, or a change of another system's files, can be taken back by.
func Kept(ctx context.Context, repo *gitstate.Repo) (int, error) {
	n := 0
	for _, prefix := range []string{series.Root + series.Discarded + "/", series.Root + series.Acted + "/", string(series.TrashRef(""))} {
		names, err := repo.Refs.Names(ctx, prefix)
		if err != nil {
			return 0, err
		}
		n += len(names)
	}
	return n, nil
}

// oldEntry reports whether the newest entry of a series is old.
func (x *expiring) oldEntry(ctx context.Context, r series.Roll) bool {
	l, err := series.ReadLabel(ctx, x.repo, r.Last().ID)
	return err == nil && !l.At.IsZero() && x.old(l.At)
}

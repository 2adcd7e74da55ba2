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
	"github.com/git-resume/git-resume/internal/dotgit"
	"github.com/git-resume/git-resume/worktree/place"
	"github.com/git-resume/git-resume/worktree/record"
	"github.com/git-resume/git-resume/worktree/series"
)

// Expiry determines which discarded runs are old enough to be finally deleted.
type Expiry struct {
	Now  time.Time
	Keep time.Duration
	// Back reports whether a discarded run was restored, even if its record in the trash does not show this. If Back is nil, no run counts as
	// restored.
	Back func(run string) bool
}

// graceTime must pass between the call that first finds a run to be due and the call that deletes it. If Keep is shorter, only Keep must
// pass. In this time, a wrong clock is usually corrected.
const graceTime = 24 * time.Hour

// dueFile is a file with the time when Expire first found something that is due for deletion.
const dueFile = "due"

// Expire finally deletes runs that were discarded long ago, with their snapshots and logs. It also deletes old snapshots of git operations,
// and old copies of restored runs and of other tools' files. It returns the deleted runs. It finishes interrupted deletions, and skips a
// run that another process is discarding or restoring.
//
// Work must not be lost if the clock is wrong for one command. So the first call only records that something is due, and a later call
// deletes it. Between these two calls, graceTime must pass, or the time in the field Keep if that is shorter. If Keep is 0, the first call
// deletes everything that is due.
func Expire(ctx context.Context, repo *gitstate.Repo, what Expiry) ([]string, error) {
	x := &expiryCheck{repo: repo, Expiry: what}
	x.readNote()
	runs, err := x.checkTrash(ctx)
	if err != nil {
		return runs, err
	}
	return runs, errors.Join(x.dropRefs(ctx), x.dropSnapshots(ctx), x.note())
}

// expiryCheck is one pass over everything in the trash.
type expiryCheck struct {
	repo *gitstate.Repo
	Expiry
	// noted is the time in the dueFile. It is zero if there is no such file, or if its time is in the future.
	noted time.Time
	// before is the time limit for deletions. What was discarded before this time is deleted now.
	before time.Time
	// due is true if something is old enough to be deleted, but is still kept during graceTime.
	due bool
}

// readNote reads the dueFile, and sets the time limit for deletions. A time in the future was recorded while the clock was wrong, and is
// ignored.
func (x *expiryCheck) readNote() {
	text, _ := os.ReadFile(x.dueFile()) // if there is no such file, nothing was due before
	noted, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(string(text)))
	if err == nil && !noted.After(x.Now) {
		x.noted = noted
	}
	switch {
	case x.Keep == 0:
		x.before = x.Now.Add(-x.Keep)
	case !x.noted.IsZero() && x.Now.Sub(x.noted) >= min(graceTime, x.Keep):
		x.before, x.noted = x.noted.Add(-x.Keep), time.Time{}
	}
}

func (x *expiryCheck) dueFile() string { return x.repo.CommonPath("resume", "trash", dueFile) }

// isOld reports whether something that was discarded at the given time is deleted now. If it is due but still kept, isOld sets x.due.
func (x *expiryCheck) isOld(at time.Time) bool {
	if at.Before(x.before) {
		return true
	}
	x.due = x.due || at.Before(x.Now.Add(-x.Keep))
	return false
}

// The method note() records when something was first found to be due. If nothing is due, it removes this record.
func (x *expiryCheck) note() error {
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

// checkTrash checks everything that was discarded.
func (x *expiryCheck) checkTrash(ctx context.Context) (runs []string, err error) {
	for _, dir := range record.Dirs(x.repo) {
		run, err := x.checkFolder(ctx, dir)
		if err != nil {
			return runs, fmt.Errorf("expire '%s': %w", record.NameOf(dir), err)
		}
		if run != "" {
			runs = append(runs, run)
		}
	}
	return runs, nil
}

// checkFolder handles one folder of the trash. If it has finally deleted the run, it returns the run's name.
func (x *expiryCheck) checkFolder(ctx context.Context, dir string) (string, error) {
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
		return "", undoJob{d}.waitForGC(ctx)
	}
	if err := d.sweep(ctx); err != nil {
		return "", err
	}
	switch {
	case d.rec.Phase != record.Gone && d.rec.Phase != record.Incomplete || !x.isOld(d.rec.At):
		return "", nil
	case d.rec.Phase == record.Incomplete || name != d.rec.Run: // the refs of the run do not belong to this record, so delete only the record
		return "", d.forget()
	case x.Back != nil && x.Back(d.rec.Run): // the run was restored without its files
		return "", nil
	}
	for _, what := range []string{series.Discarded, series.Snapshots} {
		if err := series.Of(d.repo, what, d.rec.Run).Drop(ctx); err != nil {
			return "", err
		}
	}
	if err := os.RemoveAll(d.repo.CommonPath("resume", "logs", d.rec.Run)); err != nil {
		return "", err
	}
	return d.rec.Run, d.forget()
}

// forget deletes the files of a discard. It deletes the record last, so that the next call can continue after a kill.
func (d *discardJob) forget() error {
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
	return os.Remove(d.dir + ".lock") // this process holds the lock, and a process that waits for it notices that the file is gone
}

// operationMark is the prefix of the names under which snapshots of git operations are saved. No run has such a name.
const operationMark = "git."

// ForOperation returns the name under which the snapshots of a git operation are saved, such as "git.rebase." followed by the name of the
// worktree.
func ForOperation(op ongoing.Operation, where string) string {
	return operationMark + string(op) + "." + where
}

// OperationOf reverses ForOperation. It returns the git operation and the name of the worktree. The last result is false for the name of a
// run.
func OperationOf(name string) (op, where string, ok bool) {
	rest, ok := strings.CutPrefix(name, operationMark)
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, ".")
}

// dropSnapshots deletes old snapshots of git operations. Such a snapshot was taken before git-resume continued or ended the operation.
func (x *expiryCheck) dropSnapshots(ctx context.Context) error {
	return x.dropOld(ctx, series.Snapshots, func(name string) bool { return strings.HasPrefix(name, operationMark) })
}

// dropRefs deletes old copies of runs that were restored, old copies of other tools' files, and parked work that was dropped.
func (x *expiryCheck) dropRefs(ctx context.Context) error {
	back := func(run string) bool {
		return !record.Has(record.Dir(x.repo, run)) && !record.Has(record.TrashDir(x.repo, run))
	}
	return errors.Join(
		x.dropOld(ctx, series.Discarded, back),
		x.dropOld(ctx, series.Acted, func(string) bool { return true }),
		x.dropParked(ctx),
	)
}

// dropOld deletes old series of the given kind. It deletes only names for which may() returns true.
func (x *expiryCheck) dropOld(ctx context.Context, what string, may func(string) bool) error {
	names, err := x.repo.Refs.Names(ctx, series.Root+what+"/")
	if err != nil {
		return err
	}
	for _, name := range names {
		s := series.Of(x.repo, what, name)
		if r, err := s.Read(ctx); err != nil || !may(name) || !x.oldEntry(ctx, r) {
			continue // keep a series that cannot be read, is not old, or must not be deleted
		}
		if err := s.Drop(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Kept counts the refs that Undo needs, for discarded runs and for changed files of other tools.
func Kept(ctx context.Context, repo *gitstate.Repo) (int, error) {
	n := 0
	for _, prefix := range []string{series.Root + series.Discarded + "/", series.Root + series.Acted + "/"} {
		names, err := repo.Refs.Names(ctx, prefix)
		if err != nil {
			return 0, err
		}
		n += len(names)
	}
	return n, nil
}

// oldEntry reports whether the newest entry of a series is old enough to be deleted.
func (x *expiryCheck) oldEntry(ctx context.Context, r series.Snapshot) bool {
	l, err := series.ReadLabel(ctx, x.repo, r.Last().ID)
	return err == nil && !l.At.IsZero() && x.isOld(l.At)
}

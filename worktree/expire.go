package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate"
)

// Expire forgets what was dropped before a time: trash, snapshots and logs of the runs, kept registrations,
// snapshots of git's own operations,
// and what is left of trees and of cut-off creations. It gives the runs that are no more.
// It also finishes deletions that were put off or cut off, whatever their age.
// A run that is being dropped or brought back right now is passed over.
func Expire(ctx context.Context, repo *gitstate.Repo, before time.Time) ([]string, error) {
	entries, err := os.ReadDir(repo.CommonPath("resume", "trash"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("read the trash: %w", err)
	}
	var runs []string
	for _, e := range entries {
		if !e.IsDir() || !present(filepath.Join(trashDir(repo, e.Name()), recordFile)) {
			continue
		}
		run, err := expireOne(ctx, repo, e.Name(), before)
		if err != nil {
			return runs, fmt.Errorf("expire '%s': %w", e.Name(), err)
		}
		if run != "" {
			runs = append(runs, run)
		}
	}
	return runs, errors.Join(expireRefs(ctx, repo, before), expireSaved(ctx, repo, before))
}

// expireOne handles one directory of the trash; the run's name is given if it is gone for good.
func expireOne(ctx context.Context, repo *gitstate.Repo, name string, before time.Time) (string, error) {
	d, unlock, err := openTrash(repo, name)
	var busy *BusyError
	if errors.As(err, &busy) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer unlock()
	d.req.Now = func() time.Time { return before }
	if !d.has {
		return "", nil
	}
	if err := d.sweep(ctx); err != nil {
		return "", err
	}
	old := d.rec.At.Before(before)
	switch {
	case !old || d.rec.Phase != phaseGone && d.rec.Phase != phaseHusk:
		return "", nil
	case d.rec.Phase == phaseHusk || name != d.rec.Run: // no refs of its own
		return "", d.forget()
	}
	for _, ref := range []string{trashRef(d.rec.Run), wipRef(d.rec.Run)} {
		if err := dropRef(ctx, d.repo, ref); err != nil {
			return "", err
		}
	}
	if err := os.RemoveAll(d.repo.CommonPath("resume", "logs", d.rec.Run)); err != nil {
		return "", err
	}
	return d.rec.Run, d.forget()
}

func dropRef(ctx context.Context, repo *gitstate.Repo, ref string) error {
	at, err := repo.Ref(ctx, ref)
	if err != nil || at == "" {
		return err
	}
	return repo.UpdateRef(ctx, gitstate.Update{Ref: ref, Old: at})
}

// forget removes files; the record goes last, so that a kill leaves nothing unknown.
func (d *dropping) forget() error {
	if d.rec.Trash != "" {
		if err := remove(string(d.rec.Trash), "", nil); err != nil {
			return err
		}
	}
	if err := remove(d.kept(), "", nil); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(d.dir, recordFile)); err != nil {
		return err
	}
	if err := os.RemoveAll(d.dir); err != nil {
		return err
	}
	return os.Remove(d.dir + ".lock") // held by us, and whoever waits for it looks again
}

// operationMark begins the names under which work is saved before one of git's own operations goes on; no run is called so.
const operationMark = "git."

// ForOperation names the snapshots of one of git's own operations in one worktree.
func ForOperation(op gitstate.Operation, where string) string {
	return operationMark + string(op) + "." + where
}

// expireSaved drops the snapshots of git's own operations that nobody asked for in all that time.
func expireSaved(ctx context.Context, repo *gitstate.Repo, before time.Time) error {
	names, err := repo.RefNames(ctx, wipRef(""))
	if err != nil {
		return err
	}
	for _, name := range names {
		ref := wipRef(name)
		if !strings.HasPrefix(name, operationMark) {
			continue // a run's
		}
		c, err := repo.Commit(ctx, ref)
		if err != nil || !c.Committer.When.Before(before) {
			continue
		}
		if err := dropRef(ctx, repo, ref); err != nil {
			return err
		}
	}
	return nil
}

// expireRefs drops trash refs without a record: their runs were brought back.
func expireRefs(ctx context.Context, repo *gitstate.Repo, before time.Time) error {
	names, err := repo.RefNames(ctx, "refs/resume/trash/")
	if err != nil {
		return err
	}
	for _, run := range names {
		if present(filepath.Join(trashDir(repo, run), recordFile)) {
			continue
		}
		c, err := repo.Commit(ctx, trashRef(run))
		if err != nil || !c.Committer.When.Before(before) {
			continue
		}
		if err := dropRef(ctx, repo, trashRef(run)); err != nil {
			return err
		}
	}
	return nil
}

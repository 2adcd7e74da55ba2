package trash

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/dotgit"
	"github.com/git-resume/git-resume/worktree"
	"github.com/git-resume/git-resume/worktree/place"
	"github.com/git-resume/git-resume/worktree/record"
	"github.com/git-resume/git-resume/worktree/series"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

func (d *discardJob) intent(ctx context.Context) error {
	if d.req.Intent == nil || d.rec.Phase != record.Begun {
		return nil
	}
	return d.req.Intent(ctx, d.result(false))
}

// moveAway moves the worktree, and then its folder in .git/worktrees. Each move is one rename.
func (d *discardJob) moveAway(context.Context) error {
	if d.rec.Phase != record.Begun {
		return nil
	}
	admin := d.repo.CommonPath("worktrees", string(d.rec.Admin))
	if d.rec.Unlocked && place.Present(admin) {
		// The lock keeps "git worktree prune" from removing the worktree's git dir during the move.
		if err := place.WriteMissing(filepath.Join(admin, "locked"), []byte(worktree.LockPrefix+d.rec.Run+"\n")); err != nil {
			return err
		}
	}
	if d.rec.Trash != "" {
		if err := place.Move(string(d.rec.Path), string(d.rec.Trash)); err != nil {
			return fmt.Errorf("cannot move the worktree: %w", err)
		}
	}
	if d.rec.Admin != "" {
		if err := place.Move(admin, d.kept()); err != nil {
			return fmt.Errorf("cannot move the worktree's registration: %w", err)
		}
		// The moved folder is deeper below the common directory, so the relative path in "commondir" must be longer. Setting GIT_COMMON_DIR is
		// not enough, because git finds refs only through this file.
		if err := place.Replace(filepath.Join(d.kept(), "commondir"), []byte("../../../..\n")); err != nil {
			return fmt.Errorf("cannot move the worktree's registration: %w", err)
		}
	}
	return nil
}

// saveAgain takes a complete snapshot of the moved worktree, because a process may have written into the worktree after
// the first snapshot.
func (d *discardJob) saveAgain(ctx context.Context) error {
	if d.rec.Phase != record.Begun || d.rec.Trash == "" || d.rec.Whole != "" || d.rec.Torn {
		return nil
	}
	for i := 1; ; i++ {
		if err := d.noteRefs(ctx); err != nil {
			return err
		}
		at, err := worktree.OpenTree(d.repo, d.kept(), string(d.rec.Trash))
		if err != nil {
			return err
		}
		snap, err := snapshot.Take(ctx, at, snapshot.Request{Run: d.rec.Run, Cause: "before it was discarded", Scope: snapshot.Whole, When: snapshot.Always, Keep: d.rec.Kept(), Now: d.req.Now})
		at.Close()
		if err != nil {
			return err
		}
		if err := d.saveModules(ctx, snap); err != nil {
			return err
		}
		d.rec.Whole = snap.ID
		again, err := d.keepSafely(ctx, d.kept(), i)
		if err != nil {
			return err
		}
		if !again {
			return d.save()
		}
	}
}

// dropBranch deletes the branch. If somebody has added commits meanwhile, it saves these commits first.
func (d *discardJob) dropBranch(ctx context.Context) error {
	if d.rec.Phase != record.Begun || d.rec.Branch == "" {
		return nil
	}
	for i := 1; ; i++ {
		tip, err := d.repo.Refs.Ref(ctx, refs.Name(d.rec.Branch))
		if err != nil || tip == "" {
			return err
		}
		if tip != d.rec.Tip {
			if err := d.keepReachable(ctx, ""); err != nil {
				return err
			}
			if err := d.save(); err != nil {
				return err
			}
		}
		if err := d.keepReflog(); err != nil {
			return err
		}
		err = d.repo.Refs.Update(ctx, refs.Update{Ref: refs.Name(d.rec.Branch), Old: d.rec.Tip})
		var stale *refs.StaleError
		if i == series.Tries || !errors.As(err, &stale) {
			return err
		}
	}
}

func (d *discardJob) keepReflog() error {
	log, copied := d.reflogs()
	text, err := os.ReadFile(log)
	if err != nil {
		return nil // there may be no reflog file, for example if the repository uses reftables
	}
	return dotgit.WriteFile(copied, text)
}

// recordDiscard calls the caller's Record function. Before that, no file is deleted.
func (d *discardJob) recordDiscard(ctx context.Context) error {
	if d.rec.Phase != record.Begun {
		return nil
	}
	if d.req.Record != nil {
		if err := d.req.Record(ctx, d.result(false)); err != nil {
			return err
		}
	}
	if d.rec.Trash == "" || d.rec.Torn {
		d.rec.Phase = record.Gone
	} else {
		d.rec.Phase = record.Sweeping
	}
	return d.save()
}

// sweep deletes the files of the moved worktree that are saved elsewhere. While a gc is running, or if saved objects are missing, it leaves
// them for a later call. If it cannot see whether a gc is running, it packs the objects first, because a running gc does not delete a new
// pack.
func (d *discardJob) sweep(ctx context.Context) error {
	if d.rec.Phase != record.Sweeping {
		return nil
	}
	if !d.rec.Swept {
		if series.GcAtWork(d.repo) && !(series.GcUnseen(d.repo) && d.packAll(ctx)) || !d.allThere(ctx) {
			return nil
		}
		d.rec.Swept = true
		if err := d.save(); err != nil {
			return err
		}
	}
	c, err := d.newDeletion(ctx)
	if err != nil {
		return nil // if the files cannot be compared, none is deleted, and a later call tries again
	}
	if err := c.run(); err != nil {
		return fmt.Errorf("cannot delete the moved worktree: %w", err)
	}
	d.rec.Phase = record.Gone
	return d.save()
}

// remove deletes for good everything at the given path below the folder root. It deletes links, but never follows them.
func remove(root, rel string) error {
	full := filepath.Join(root, rel)
	info, err := os.Lstat(full)
	if place.Gone(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return os.Remove(full)
	}
	if info.Mode().Perm()&0o700 != 0o700 {
		if err := os.Chmod(full, 0o700); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(full)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := remove(root, filepath.Join(rel, e.Name())); err != nil {
			return err
		}
	}
	if err := os.Remove(full); err != nil && !place.Gone(err) && !isFilled(full) {
		return err
	}
	return nil // it is no error if the folder stays because new files appeared in it
}

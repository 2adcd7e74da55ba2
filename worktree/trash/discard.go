package trash

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/worktree"
	"github.com/git-resume/git-resume/worktree/place"
	"github.com/git-resume/git-resume/worktree/record"
	"github.com/git-resume/git-resume/worktree/series"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// MidOperationError reports that a git operation is in progress in a worktree.
type MidOperationError struct {
	Path      string
	Operation ongoing.Operation
}

func (e *MidOperationError) Error() string {
	return fmt.Sprintf("worktree '%s' has an unfinished %s", e.Path, e.Operation)
}

var errMainWorktree = errors.New("the main worktree cannot be discarded")

// Discard removes a run's worktree and branch so that Undo can restore them. It saves the work under the ref refs/resume/discarded/<run>
// before it deletes anything. Ignored files are deleted without a copy, except those in the request's list Keep, and those that are new or
// changed. If Discard is killed, calling it again completes the work.
func Discard(ctx context.Context, repo *gitstate.Repo, req DiscardRequest) (Discarded, error) {
	if err := series.CheckRun(req.Run); err != nil {
		return Discarded{}, err
	}
	d, unlock, err := openDir(repo, record.Dir(repo, req.Run), req.Run)
	if err != nil {
		return Discarded{}, err
	}
	defer unlock()
	d.req = req
	if err := d.ready(ctx); err != nil {
		return Discarded{}, err
	}
	if d.rec.Phase == record.Gone {
		return d.result(true), nil
	}
	for _, step := range []func(context.Context) error{d.intent, d.moveAway, d.saveAgain, d.dropBranch, d.recordDiscard, d.sweep} {
		if err := step(ctx); err != nil {
			return Discarded{}, fmt.Errorf("discard: %w", err)
		}
	}
	return d.result(false), nil
}

// ready makes sure that there is a record of the discard. It first finishes an interrupted undo. Then it continues an existing discard, or
// starts a new one.
func (d *discardJob) ready(ctx context.Context) error {
	u := undoJob{d}
	if d.has && d.rec.Phase == record.Undoing {
		if err := u.finishUndo(ctx, UndoRequest{Run: d.rec.Run, Now: d.req.Now}); err != nil {
			return fmt.Errorf("an earlier undo could not be finished: %w", err)
		}
		d.has, d.rec = false, record.Record{}
	}
	if d.has && d.rec.Phase == record.Back {
		if err := errors.Join(u.commitsBack(ctx), u.clearTrash()); err != nil {
			return fmt.Errorf("an earlier undo could not be finished: %w", err)
		}
		d.has, d.rec = false, record.Record{}
	}
	if d.has && d.rec.Phase != record.Gone {
		return nil
	}
	t, err := d.examine(ctx)
	if err != nil {
		if d.has && (!place.Present(d.req.Path) || d.req.Path == "") {
			return nil // the run is already discarded, and there is no new worktree to discard
		}
		return err
	}
	if d.has && t.Admin == "" {
		return nil
	}
	if d.has {
		if err := d.shelve(); err != nil {
			return err
		}
	}
	return d.begin(ctx, t)
}

// shelve moves the record of an earlier discard of the same run aside. The earlier work stays reachable from the ref of discarded work.
func (d *discardJob) shelve() error {
	to := record.Dir(d.repo, "older-"+d.rec.Run+"-"+place.Nonce())
	d.has = false
	return place.Move(d.dir, to)
}

// examine finds the worktree, and returns an error if it must not be discarded.
func (d *discardJob) examine(ctx context.Context) (worktree.Tree, error) {
	if d.req.Living != "" {
		return worktree.Tree{}, &worktree.LivingError{Run: d.req.Run, Who: d.req.Living}
	}
	trees, err := worktree.Find(ctx, d.repo)
	if err != nil {
		return worktree.Tree{}, err
	}
	t := worktree.Unknown(worktree.Want{Path: d.req.Path})
	for _, other := range trees {
		switch {
		case place.Same(other.Path, d.req.Path) && (other.Admin != "" || other.Main):
			t = other
		case d.req.Branch != "" && other.Branch == d.req.Branch && other.Health != worktree.Missing:
			return worktree.Tree{}, &worktree.BranchTakenError{Branch: refs.Short(d.req.Branch), Worktree: other.Path}
		}
	}
	if t.Main || place.SameDir(d.req.Path, worktree.MainDir(d.repo)) {
		return t, errMainWorktree
	}
	if t.Health == worktree.Incomplete { // check this before the lock: while git before 2.33 makes a worktree, the lock has git's reason and not ours, so the error about the lock would be misleading
		if err := worktree.NotBeingMade(d.req.Run, t.Path); err != nil {
			return t, err
		}
	}
	if run, ours := t.LockedBy(); t.Locked && (!ours || run != d.req.Run) {
		return t, &worktree.LockedError{Path: t.Path, Reason: t.LockReason}
	}
	switch t.Health {
	case worktree.Usable, worktree.Missing, worktree.Incomplete:
	default:
		return t, worktree.NotRegistered(t)
	}
	if t.Operation != ongoing.NoOperation && d.req.Care != Forced {
		return t, &MidOperationError{t.Path, t.Operation}
	}
	return t, nil
}

// begin saves all objects of the run under the ref of discarded work, and records the start of the discard.
func (d *discardJob) begin(ctx context.Context, t worktree.Tree) error {
	d.rec = record.Record{Version: record.Version, Run: d.req.Run, At: d.req.Now().UTC(), Phase: record.Begun, Path: record.Exact(d.req.Path), Branch: record.Exact(d.req.Branch)}
	for _, keep := range d.req.Keep {
		d.rec.Keep = append(d.rec.Keep, record.Exact(keep))
	}
	if t.Admin != "" {
		d.rec.Admin = record.Exact(filepath.Base(t.Admin))
		text, _ := os.ReadFile(filepath.Join(t.Admin, "commondir"))
		d.rec.CommonFile = record.Exact(text)
	}
	if t.Admin != "" && t.Health != worktree.Missing && t.Path != "" && place.Present(t.Path) {
		d.rec.Trash = record.Exact(filepath.Join(filepath.Dir(t.Path), place.TrashPrefix+d.req.Run+"-"+place.Nonce()))
		text, err := os.ReadFile(filepath.Join(t.Path, ".git"))
		if err != nil && t.Health != worktree.Incomplete {
			return fmt.Errorf("read '%s': %w", filepath.Join(t.Path, ".git"), err)
		}
		d.rec.GitFile = record.Exact(text)
	}
	kept, err := series.Of(d.repo, series.Discarded, d.req.Run).Read(ctx)
	if err != nil {
		return err
	}
	d.rec.First = kept.Last().Number + 1
	if err := d.keepAll(ctx, t); err != nil {
		return fmt.Errorf("not everything could be saved before the discard: %w", err)
	}
	if d.rec.Trash != "" && t.Health != worktree.Incomplete {
		if err := d.noteCounted(ctx, t); err != nil {
			return fmt.Errorf("count ignored files: %w", err)
		}
	}
	d.rec.Torn = t.Health == worktree.Incomplete
	d.rec.Unlocked = t.Admin != "" && !t.Locked
	if err := d.save(); err != nil {
		return err
	}
	d.has = true
	return nil
}

// keepAll takes a snapshot, and makes all objects of the run reachable from the ref of discarded work. A running "gc --prune=now" may
// delete new objects before the ref exists. In this case keepAll writes everything again.
func (d *discardJob) keepAll(ctx context.Context, t worktree.Tree) error {
	for i := 1; ; i++ {
		if err := d.noteRefs(ctx); err != nil {
			return err
		}
		if t.Admin != "" && t.Health != worktree.Incomplete && d.rec.Trash != "" {
			at := d.repo.At(locate.Place{GitDir: t.Admin, CommonDir: d.repo.CommonDir, WorkTree: t.Path})
			snap, err := snapshot.Take(ctx, at, snapshot.Request{Run: d.req.Run, Cause: "before a discard", Keep: d.rec.Kept(), Now: d.req.Now})
			at.Close()
			if err != nil {
				return err
			}
			d.rec.Snapshot = snap.ID
		}
		again, err := d.keepSafely(ctx, t.Admin, i)
		if err != nil || !again {
			return err
		}
	}
}

package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/ongoing"
)

// MidOperationError says that a git operation is under way in a worktree.
type MidOperationError struct {
	Path      string
	Operation ongoing.Operation
}

func (e *MidOperationError) Error() string {
	return fmt.Sprintf("worktree '%s' is in the middle of a %s", e.Path, e.Operation)
}

// ErrMainWorktree says that the main worktree cannot be dropped.
var ErrMainWorktree = errors.New("this is the main worktree")

// Discard drops a run's worktree and branch so that Undo can bring them back.
//
// First all is made reachable from refs/resume/discarded/<run>; then tree and registration are moved away, each in one step;
// then the moved tree is saved once more, for somebody may have written into it until then;
// then the branch goes; and only then files are deleted, each after a look whether it is what was saved.
// Ignored files are not kept, unless the request names them or nobody counted them.
// A killed Discard is finished by the same call.
func Discard(ctx context.Context, repo *gitstate.Repo, req DiscardRequest) (Discarded, error) {
	if err := checkRun(req.Run); err != nil {
		return Discarded{}, err
	}
	d, unlock, err := openTrash(ctx, repo, req.Run)
	if err != nil {
		return Discarded{}, err
	}
	defer unlock()
	d.req = req
	if err := d.ready(ctx); err != nil {
		return Discarded{}, err
	}
	if d.rec.Phase == phaseGone {
		return d.result(true), nil
	}
	for _, step := range []func(context.Context) error{d.intent, d.hide, d.saveAgain, d.dropBranch, d.noted, d.sweep} {
		if err := step(ctx); err != nil {
			return Discarded{}, fmt.Errorf("discard: %w", err)
		}
	}
	return d.result(false), nil
}

// ready ends with a record: that of an unfinished or finished discard, or a new one.
func (d *dropping) ready(ctx context.Context) error {
	u := undoing{d}
	if d.has && d.rec.Phase == phaseUndoing {
		if err := u.finishUndo(ctx, UndoRequest{Run: d.rec.Run, Now: d.req.Now}); err != nil {
			return fmt.Errorf("finish an undo first: %w", err)
		}
		d.has, d.rec = false, record{}
	}
	if d.has && d.rec.Phase == phaseBack {
		if err := errors.Join(u.commitsBack(ctx), u.clearTrash()); err != nil {
			return fmt.Errorf("finish an undo first: %w", err)
		}
		d.has, d.rec = false, record{}
	}
	if d.has && d.rec.Phase != phaseGone {
		return nil
	}
	t, err := d.examine(ctx)
	if err != nil {
		if d.has && (!present(d.req.Path) || d.req.Path == "") {
			return nil // dropped already, and nothing new is there
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

// shelve puts the record of an earlier discard of the same name aside; its objects stay reachable.
func (d *dropping) shelve() error {
	to := discardDir(d.repo, "older-"+d.rec.Run+"-"+newNonce())
	d.has = false
	return moveDir(d.dir, to)
}

// examine finds the tree and refuses what must not be dropped.
func (d *dropping) examine(ctx context.Context) (Tree, error) {
	if d.req.Living != "" {
		return Tree{}, &LivingError{d.req.Run, d.req.Living}
	}
	trees, err := Find(ctx, d.repo)
	if err != nil {
		return Tree{}, err
	}
	t := unknown(Want{Path: d.req.Path})
	for _, other := range trees {
		switch {
		case samePath(other.Path, d.req.Path) && (other.Admin != "" || other.Main):
			t = other
		case d.req.Branch != "" && other.Branch == d.req.Branch && other.Health != Missing:
			return Tree{}, &BranchTakenError{Branch: strings.TrimPrefix(d.req.Branch, "refs/heads/"), Worktree: other.Path}
		}
	}
	if t.Main || sameDir(d.req.Path, mainDir(d.repo)) {
		return t, ErrMainWorktree
	}
	if run, ours := t.LockedBy(); t.Locked && (!ours || run != d.req.Run) {
		return t, &LockedError{t.Path, t.LockReason}
	}
	switch t.Health {
	case Usable, Missing, Husk:
	default:
		return t, notRegistered(t)
	}
	if t.Operation != ongoing.NoOperation && d.req.Care != Forced {
		return t, &MidOperationError{t.Path, t.Operation}
	}
	if t.Health == Husk {
		return t, notBeingMade(d.req.Run, t.Path)
	}
	return t, nil
}

// begin makes everything reachable and notes what is going to happen.
func (d *dropping) begin(ctx context.Context, t Tree) error {
	d.rec = record{Version: recordVersion, Run: d.req.Run, At: d.req.Now().UTC(), Phase: phaseBegun, Path: exact(d.req.Path), Branch: exact(d.req.Branch)}
	for _, keep := range d.req.Keep {
		d.rec.Keep = append(d.rec.Keep, exact(keep))
	}
	if t.Admin != "" {
		d.rec.Admin = exact(filepath.Base(t.Admin))
		text, _ := os.ReadFile(filepath.Join(t.Admin, "commondir"))
		d.rec.CommonFile = exact(text)
	}
	if t.Admin != "" && t.Health != Missing && t.Path != "" && present(t.Path) {
		d.rec.Trash = exact(filepath.Join(filepath.Dir(t.Path), trashPrefix+d.req.Run+"-"+newNonce()))
		text, err := os.ReadFile(filepath.Join(t.Path, ".git"))
		if err != nil && t.Health != Husk {
			return fmt.Errorf("read '%s': %w", filepath.Join(t.Path, ".git"), err)
		}
		d.rec.GitFile = exact(text)
	}
	kept, err := seriesOf(d.repo, discardedSeries, d.req.Run).read(ctx)
	if err != nil {
		return err
	}
	d.rec.First = kept.last().number + 1
	if err := d.keepAll(ctx, t); err != nil {
		return fmt.Errorf("save everything first: %w", err)
	}
	if d.rec.Trash != "" && t.Health != Husk {
		if err := d.noteCounted(ctx, t); err != nil {
			return fmt.Errorf("count ignored files: %w", err)
		}
	}
	d.rec.Torn = t.Health == Husk
	d.rec.Unlocked = t.Admin != "" && !t.Locked
	if err := d.save(); err != nil {
		return err
	}
	d.has = true
	return nil
}

// keepAll takes a snapshot and ties all that the run has to the ref of what was discarded.
// A "gc --prune=now" that began before the ref existed may remove what was just written; then all is written again.
func (d *dropping) keepAll(ctx context.Context, t Tree) error {
	_ = flattenSnapshots(ctx, d.repo, d.rec.Run) // else they stay where they are
	for i := 1; ; i++ {
		if err := d.noteRefs(ctx); err != nil {
			return err
		}
		if t.Admin != "" && t.Health != Husk && d.rec.Trash != "" {
			at := d.repo.At(locate.Place{GitDir: t.Admin, CommonDir: d.repo.CommonDir, WorkTree: t.Path})
			snap, err := Take(ctx, at, SnapshotRequest{Run: d.req.Run, Cause: "before a discard", Keep: d.rec.kept(), Now: d.req.Now})
			at.Close()
			if err != nil {
				return err
			}
			d.rec.Snapshot = snap.ID
		}
		again, err := d.tieSafely(ctx, t.Admin, i)
		if err != nil || !again {
			return err
		}
	}
}

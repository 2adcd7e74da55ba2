package discard

import (
	"context"
	"fmt"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// isRestore reports whether an event records that a person restored a snapshot.
func isRestore(e checkpoint.Event) bool {
	return e.Event == checkpoint.Snapshot && e.Cause == checkpoint.BeforeRestore
}

// FilesBack is a worktree and a snapshot. An undo changes the files of the worktree back to those of the snapshot.
type FilesBack struct {
	Tree string
	// Snapshot has the files as they will be after the undo.
	Snapshot snapshot.Snapshot
}

// RestoreGoneError says that a restore cannot be undone or made again, because the snapshot that this needs is no longer kept.
type RestoreGoneError struct{ Run checkpoint.RunID }

func (e *RestoreGoneError) Error() string {
	return fmt.Sprintf("the snapshot that this needs no longer exists: files of run '%s' as they were before", e.Run)
}

// unrestorer undoes the restore of a snapshot.
type unrestorer struct{ undoer *Undoer }

// find adds to u the snapshot with which a restore is undone. For a redo, this is the snapshot that the undo saved. If the change is not a
// restore, find does nothing.
func (x unrestorer) find(ctx context.Context, u *Undoing) error {
	if !isRestore(u.What) || u.Finish {
		return nil
	}
	id := u.What.Tree
	if u.Redo {
		id = u.Lines[0].Tree
	}
	return x.findSnapshot(ctx, u, id)
}

// findSnapshot adds to u the run's snapshot with this id, and the run's worktree.
func (x unrestorer) findSnapshot(ctx context.Context, u *Undoing, id object.ID) error {
	all, err := snapshot.All(ctx, x.undoer.Repo, string(u.Run.ID))
	if err != nil {
		return err
	}
	for _, s := range all {
		if s.ID == id && s.Tree != "" {
			place, ok := x.undoer.TreeOf(&u.Run)
			if !ok {
				return &LostTreeError{Path: u.Run.Worktree, Branch: u.Run.Branch}
			}
			u.FilesBack = &FilesBack{Tree: place.WorkTree, Snapshot: s}
			return nil
		}
	}
	return &RestoreGoneError{u.Run.ID}
}

// FilesNow returns a git tree with the files that are now in the worktree u.FilesBack.Tree. After the undo, the worktree will have the
// files of u.FilesBack.Snapshot instead.
func (e *Undoer) FilesNow(ctx context.Context, u *Undoing) (object.ID, error) {
	place, ok := e.TreeOf(&u.Run)
	if !ok {
		return "", &LostTreeError{Path: u.Run.Worktree, Branch: u.Run.Branch}
	}
	tree := e.Repo.At(place)
	defer tree.Close()
	snap, err := snapshot.Present(ctx, tree, snapshot.Request{Now: e.Now})
	return snap.Tree, err
}

// unfinished looks for an undo or redo of a restore that was recorded, but killed before it had changed all files. The user can repeat the
// command to finish it. unfinished returns nil if there is none. If the argument "only" is empty, it looks in all runs.
func (x unrestorer) unfinished(ctx context.Context, only checkpoint.RunID, redo bool) (*Undoing, error) {
	purpose := map[bool]snapshot.Purpose{false: snapshot.ByUndo, true: snapshot.ByRedo}[redo]
	for _, h := range site.AllHalfRestored(x.undoer.Repo, x.undoer.Repo.Linked()) {
		id := checkpoint.RunID(h.Run)
		if h.Purpose != purpose || only != "" && id != only {
			continue
		}
		lines, err := x.undoer.Store.Lines(ctx, id)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(lines, func(l checkpoint.Line) bool {
			return l.Ours && l.Event.Event == checkpoint.Undone && l.Event.Tree == h.Before
		})
		if i < 0 {
			continue // the undo was killed before it was recorded, so it has changed no file
		}
		j, err := x.undoer.Store.Load(ctx, id)
		if err != nil {
			return nil, err
		}
		what, _ := candidate.Origin(lines, lines[i].Event)
		u := &Undoing{Run: j.Run, What: what, Lines: []checkpoint.Event{lines[i].Event}, Redo: redo, Finish: true}
		return u, x.findSnapshot(ctx, u, h.Snapshot)
	}
	return nil, nil
}

// restore changes the files of a run's worktree back to what they were before a restore. For a redo, it changes them to what they were
// after the restore. It saves the present files first, and records that before any file changes.
func (x unrestorer) restore(ctx context.Context, u *Undoing) (*Undone, error) {
	if err := site.MustOwn(&u.Run); err != nil {
		return nil, err
	}
	place, ok := x.undoer.TreeOf(&u.Run)
	if !ok {
		return nil, &LostTreeError{Path: u.Run.Worktree, Branch: u.Run.Branch}
	}
	free, err := x.undoer.LockTree(site.AdminOf(place), site.OperationPatience)
	if err != nil {
		return nil, err
	}
	defer free()
	release, err := x.undoer.Staging.Hold(u.Run.ID)
	if err != nil {
		return nil, err
	}
	defer release()
	if u.Finish && snapshot.FindUnfinished(place.GitDir) == nil {
		return nil, candidate.ErrMoved // somebody else has finished the undo meanwhile
	}
	tree := x.undoer.Repo.At(place)
	defer tree.Close()
	out := &Undone{What: u.What, Redo: u.Redo, FilesBack: u.FilesBack}
	req := snapshot.RestoreRequest{Snapshot: u.FilesBack.Snapshot.ID, Number: u.FilesBack.Snapshot.Number, Purpose: snapshot.ByUndo, Run: string(u.Run.ID), Now: x.undoer.Now}
	if u.Redo {
		req.Purpose = snapshot.ByRedo
	}
	req.Saved = func(before snapshot.Snapshot, _ bool) error {
		out.Journal, err = x.record(ctx, u, before)
		return err
	}
	_, err = snapshot.Restore(ctx, tree, req)
	return out, err
}

// record records in the journal that a restore is undone, and which snapshot has the files as they were before the undo. If u.Finish is
// set, the journal has this line already.
func (x unrestorer) record(ctx context.Context, u *Undoing, before snapshot.Snapshot) (*journal.Journal, error) {
	if u.Finish {
		x.undoer.Store.Settle(ctx, u.Run.ID) // publishes the line of an earlier undo that was killed before it could
		return x.undoer.Store.Load(ctx, u.Run.ID)
	}
	return x.undoer.Store.Append(ctx, u.Run.ID, journal.Batch{Decide: func(*checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{{Event: checkpoint.Undone, Undoes: u.Lines[0].ID, Tree: before.ID}}, nil
	}})
}

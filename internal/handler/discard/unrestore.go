package discard

import (
	"context"
	"fmt"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// isRestore reports whether an event records that a person restored a snapshot.
func isRestore(e checkpoint.Event) bool {
	return e.Event == checkpoint.Snapshot && e.Cause == checkpoint.BeforeRestore
}

// FilesBack is a worktree whose files an undo makes as they were in a snapshot.
type FilesBack struct {
	Tree string
	// Snapshot has the files as they will be.
	Snapshot snapshot.Snapshot
}

// RestoreGoneError says that a restore cannot be undone, because the snapshot of the files before it is no longer kept.
type RestoreGoneError struct{ Run checkpoint.RunID }

func (e *RestoreGoneError) Error() string {
	return fmt.Sprintf("the snapshot with the files of run '%s' before the restore no longer exists", e.Run)
}

// unrestorer undoes the restore of a snapshot.
type unrestorer struct{ undoer *Undoer }

// find finds the snapshot that undoes a restore. A redo uses the snapshot that the undo has saved.
func (x unrestorer) find(ctx context.Context, u *Undoing) error {
	if !isRestore(u.What) {
		return nil
	}
	id := u.What.Tree
	if u.Redo {
		id = u.Lines[0].Tree
	}
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

// restore makes the files of a run's worktree as they were before a restore, or after it if the undo is undone.
// It saves the present files first, and records that before any file changes.
func (x unrestorer) restore(ctx context.Context, u *Undoing) (*Undone, error) {
	release, err := x.undoer.Staging.Hold(u.Run.ID)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := site.MustOwn(&u.Run); err != nil {
		return nil, err
	}
	place, ok := x.undoer.TreeOf(&u.Run)
	if !ok {
		return nil, &LostTreeError{Path: u.Run.Worktree, Branch: u.Run.Branch}
	}
	free, err := x.undoer.Dropping.Reporting.LockTree(site.AdminOf(place), site.OperationPatience)
	if err != nil {
		return nil, err
	}
	defer free()
	tree := x.undoer.Repo.At(place)
	defer tree.Close()
	out := &Undone{What: u.What, Redo: u.Redo, FilesBack: u.FilesBack}
	record := func(before snapshot.Snapshot) error {
		out.Journal, err = x.undoer.Store.Append(ctx, u.Run.ID, journal.Batch{Decide: func(*checkpoint.Run) ([]checkpoint.Event, error) {
			return []checkpoint.Event{{Event: checkpoint.Undone, Undoes: u.Lines[0].ID, Tree: before.ID}}, nil
		}})
		return err
	}
	_, err = snapshot.Restore(ctx, tree, snapshot.RestoreRequest{Snapshot: u.FilesBack.Snapshot.ID, Run: string(u.Run.ID), Now: x.undoer.Now, Saved: record})
	return out, err
}

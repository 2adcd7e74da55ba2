package saved

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/worktree/snapshot"
	"github.com/git-resume/git-resume/worktree/trash"
)

// Restoring is a planned restore of a snapshot into a worktree.
type Restoring struct {
	Snapshot snapshot.Snapshot
	// Paths limits the restore to some files and folders, relative to the top of the worktree. If it is empty, all files are restored.
	Paths []string
	// Tree is the path of the worktree.
	Tree string
	// Head is the commit that is checked out now.
	Head object.ID
	// Moved is true if all files are to be restored, and HEAD has moved to another commit since the snapshot was taken.
	Moved bool
	// Saved lists the files that the snapshot saved, also those that had been deleted. Uncommitted lists the files that are uncommitted
	// now, and that the restore saves first. Only Foresee fills both.
	Saved       []string
	Uncommitted []string

	run   *checkpoint.Run
	place locate.Place
}

// NoTreeError says that the worktree of a snapshot was not found, so that the snapshot cannot be restored there.
type NoTreeError struct {
	Snapshot string
	// Run is the run of the snapshot; empty for a git operation and for a run without a journal. Closed is true if the run is closed, for
	// example finished or discarded. Here is true if the run worked in the user's own worktree, which git-resume does not make again.
	Run    checkpoint.RunID
	Closed bool
	Here   bool
}

func (e *NoTreeError) Error() string {
	return fmt.Sprintf("the worktree of snapshot '%s' does not exist", e.Snapshot)
}

// InOperationError says that a snapshot cannot be restored as a whole, because a git operation is in progress in its worktree.
type InOperationError struct {
	Snapshot, Path string
	Operation      ongoing.Operation
}

func (e *InOperationError) Error() string {
	return fmt.Sprintf("a git %s is in progress in '%s'", e.Operation, e.Path)
}

// WhereError says that the user must say where to restore a snapshot, because git-resume cannot ask here.
type WhereError struct {
	Snapshot string
	// Moved is true if another commit is checked out than when the snapshot was taken. Partly is true if the user named paths.
	Moved, Partly bool
}

func (e *WhereError) Error() string {
	if e.Moved {
		return fmt.Sprintf("confirmation is needed to restore '%s' on top of another commit, but git-resume cannot ask here", e.Snapshot)
	}
	return fmt.Sprintf("it is not clear where to restore '%s', and git-resume cannot ask here", e.Snapshot)
}

// Plan prepares a restore of a snapshot into its worktree. It returns an error if that cannot be done.
func (e *Keeper) Plan(ctx context.Context, name string, paths []string) (*Restoring, error) {
	snap, err := e.Named(ctx, name)
	if err != nil {
		return nil, err
	}
	p := &Restoring{Snapshot: snap}
	for _, path := range paths {
		top, err := e.fromTop(path)
		if err != nil {
			return nil, err
		}
		p.Paths = append(p.Paths, top)
	}
	if err := snap.Has(ctx, e.Repo, p.Paths); err != nil {
		return nil, err
	}
	if p.run, err = e.run(ctx, snap.Run); err != nil {
		return nil, err
	}
	tree, err := e.tree(p)
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	p.Tree, p.place = tree.WorkTree, tree.Place
	if op := ongoing.OperationIn(tree); op != ongoing.NoOperation && len(paths) == 0 {
		return nil, &InOperationError{Snapshot: snap.Label(), Path: p.Tree, Operation: op}
	}
	if _, p.Head, err = tree.Refs.Head(ctx); err != nil {
		return nil, err
	}
	p.Moved = p.Head != snap.Head && len(paths) == 0
	return p, nil
}

// Foresee fills p.Saved and p.Uncommitted, so that the plan can be shown to the user. Restore itself does not need them.
func (e *Keeper) Foresee(ctx context.Context, p *Restoring) error {
	from, to, err := p.Snapshot.Trees(ctx, e.Repo)
	if err != nil {
		return err
	}
	saved, err := snapshot.DiffTrees(ctx, e.Repo, from, to)
	if err != nil {
		return err
	}
	for _, f := range saved {
		p.Saved = append(p.Saved, f.Path)
	}
	tree := e.Repo.At(p.place)
	defer tree.Close()
	look, err := tree.ReadState(ctx)
	if err != nil {
		return err
	}
	for _, c := range look.Changes {
		p.Uncommitted = append(p.Uncommitted, c.Path)
	}
	slices.Sort(p.Uncommitted)
	return nil
}

// tree opens the worktree to which a snapshot belongs.
func (e *Keeper) tree(p *Restoring) (*gitstate.Repo, error) {
	missing := &NoTreeError{Snapshot: p.Snapshot.Label()}
	if _, admin, ok := trash.OperationOf(p.Snapshot.Run); ok {
		place, found := e.TreeNamed(admin, "")
		if !found {
			return nil, missing
		}
		return e.Repo.At(place), nil
	}
	if p.run == nil {
		return nil, missing
	}
	missing.Run, missing.Closed, missing.Here = p.run.ID, p.run.Closed(), p.run.Here
	if err := site.MustOwn(p.run); err != nil {
		return nil, err
	}
	place, found := e.TreeOf(p.run)
	if !found {
		return nil, missing
	}
	return e.Repo.At(place), nil
}

// Restored is the result of a restore into a worktree.
type Restored struct {
	snapshot.Restored
	Snapshot snapshot.Snapshot
	Tree     string
	// Run is the run whose journal has the restore, so that "git resume undo" can undo it. It is empty if no journal has the restore.
	Run checkpoint.RunID
}

// Restore sets the files of a worktree, or only those in p.Paths, to their content in the snapshot. It first saves the present work in
// another snapshot. If the restored snapshot belongs to a run that is not discarded, the journal of that run records the restore. If
// another commit is checked out now than at the time of the snapshot, Restore writes only the files that the snapshot saved.
func (e *Keeper) Restore(ctx context.Context, p *Restoring) (*Restored, error) {
	release, err := e.LockTree(site.AdminOf(p.place), site.OperationPatience)
	if err != nil {
		return nil, err
	}
	defer release()
	if p.run != nil && !p.run.Closed() {
		free, err := e.Staging.Hold(p.run.ID)
		if err != nil {
			return nil, err
		}
		defer free()
	}
	tree := e.Repo.At(p.place)
	defer tree.Close()
	if _, head, err := tree.Refs.Head(ctx); err != nil || head != p.Head {
		return nil, errors.Join(err, candidate.ErrMoved)
	}
	req := snapshot.RestoreRequest{Snapshot: p.Snapshot.ID, Number: p.Snapshot.Number, Purpose: snapshot.ByRestore, Paths: p.Paths, Run: p.Snapshot.Run, Now: e.Now}
	if p.Moved {
		req.Way = snapshot.Onto
	}
	out := &Restored{Snapshot: p.Snapshot, Tree: p.Tree}
	if p.run != nil && !p.run.Discarded {
		out.Run = p.run.ID
		req.Saved = func(before snapshot.Snapshot, again bool) error { return e.record(ctx, p, before, again) }
	}
	out.Restored, err = snapshot.Restore(ctx, tree, req)
	return out, err
}

// record writes into the run's journal which snapshot has the files as they were before the restore. It does so before any file changes, so
// that a killed restore can be undone too. The argument "again" is true if this restore finishes a killed one, which may have written the
// record already.
func (e *Keeper) record(ctx context.Context, p *Restoring, before snapshot.Snapshot, again bool) error {
	if again {
		lines, err := e.Store.Lines(ctx, p.run.ID)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(lines, func(l checkpoint.Line) bool { return l.Ours && isRecordOf(l.Event, before) }) {
			e.Store.Settle(ctx, p.run.ID) // the record exists already, so only clean up what the killed process left
			return nil
		}
	}
	_, err := e.Store.Append(ctx, p.run.ID, journal.Batch{Decide: func(*checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{{Event: checkpoint.Snapshot, Cause: checkpoint.BeforeRestore, Tree: before.ID, Head: before.Head, Text: "before a restore of " + p.Snapshot.Label()}}, nil
	}})
	return err
}

// isRecordOf reports whether an event records that this snapshot was taken before a restore.
func isRecordOf(e checkpoint.Event, before snapshot.Snapshot) bool {
	return e.Event == checkpoint.Snapshot && e.Cause == checkpoint.BeforeRestore && e.Tree == before.ID
}

// Copied is the result of a restore into a new folder. Whole is true if the folder has all files of the snapshot, including those that do
// not differ from its commit. It is false if the user named paths.
type Copied struct {
	Snapshot snapshot.Snapshot
	Path     string
	Files    int
	Whole    bool
}

// Copy writes the files of a snapshot, or only the named paths, into a new folder.
func (e *Keeper) Copy(ctx context.Context, name string, paths []string, to string) (*Copied, error) {
	snap, err := e.Named(ctx, name)
	if err != nil {
		return nil, err
	}
	tops := make([]string, 0, len(paths))
	for _, p := range paths {
		top, err := e.fromTop(p)
		if err != nil {
			return nil, err
		}
		tops = append(tops, top)
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(e.Dir, to)
	}
	n, err := snapshot.WriteTo(ctx, e.Repo, snap, to, slices.Clip(tops))
	return &Copied{Snapshot: snap, Path: to, Files: n, Whole: len(tops) == 0}, err
}

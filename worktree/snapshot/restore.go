package snapshot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/internal/dotgit"
	"github.com/git-resume/git-resume/worktree/place"
)

// Way says how much Restore changes.
type Way int

const (
	// Exact restores files, deletions and index exactly as they were. HEAD must be the same commit as in the snapshot.
	Exact Way = iota
	// Onto writes the saved files into the worktree, and removes the files that are deleted in the snapshot. HEAD can be any commit. The
	// index does not change.
	Onto
)

// RestoreRequest asks to restore a snapshot in repo's worktree.
type RestoreRequest struct {
	Snapshot object.ID
	// Number is the number of the snapshot, and Purpose the command that restores it. They are stored until the restore is complete.
	Number  int
	Purpose Purpose
	Way     Way
	// Paths limits the restore to some files and folders. With Paths, HEAD need not be the commit of the snapshot, and the index does not
	// change.
	Paths []string
	// Run is the run under which Restore first saves the present uncommitted work.
	Run string
	Now func() time.Time
	// Saved, if set, is called when the present work is saved, and before anything is changed. If it returns an error, nothing is
	// changed. If "again" is true, an earlier call with the same snapshot was interrupted, and may already have called Saved.
	Saved func(before Snapshot, again bool) error
}

// Restored is the result of Restore.
type Restored struct {
	// Before is the snapshot of the work that was uncommitted before the restore. If nothing was uncommitted, Restore takes this snapshot
	// only if the caller has set the function Saved, because Saved receives it. Otherwise the ID of Before is empty.
	Before Snapshot
	// Half is set if an earlier restore was interrupted, and this one has finished it. It is the snapshot of the uncommitted files
	// as the interrupted restore left them. Otherwise its ID is empty.
	Half  Snapshot
	Paths []string
	// Differs lists restored files whose committed version has changed since the snapshot was taken.
	// It is not filled in if the request has Paths.
	Differs []string
}

// HeadMovedError reports that another commit is checked out than when the snapshot was taken.
type HeadMovedError struct {
	Snapshot, Head object.ID
	// Path is the worktree.
	Path string
}

func (e *HeadMovedError) Error() string {
	if e.Head == "" {
		return fmt.Sprintf("the snapshot was taken at commit %s, but a branch without commits is checked out", e.Snapshot.Short())
	}
	return fmt.Sprintf("the snapshot was taken at commit %s, but %s is checked out", e.Snapshot.Short(), e.Head.Short())
}

// Restore restores a snapshot, after it has saved the present uncommitted work. If Restore is killed, calling it again completes the work.
func Restore(ctx context.Context, repo *gitstate.Repo, req RestoreRequest) (Restored, error) {
	r, err := newRestoreJob(ctx, repo, req)
	if err != nil {
		return Restored{}, err
	}
	left := r.interrupted(ctx)
	now, err := r.saveBefore(ctx, left != nil)
	if err == nil {
		err = r.inTheWay(ctx, now)
	}
	if err != nil {
		return Restored{}, err
	}
	done := Restored{Before: now}
	if left != nil {
		done.Before, done.Half = *left, now
	}
	if err := r.begin(done.Before, left != nil); err != nil {
		return done, err
	}
	if err := r.write(ctx, now, &done); err != nil {
		return done, err
	}
	return done, r.end()
}

// newRestoreJob reads the snapshot. It returns an error if the snapshot cannot be restored here, before anything is saved or changed.
func newRestoreJob(ctx context.Context, repo *gitstate.Repo, req RestoreRequest) (*restoreJob, error) {
	snap, err := Load(ctx, repo, req.Snapshot)
	if err != nil {
		return nil, fmt.Errorf("restore: %w", err)
	}
	_, head, err := repo.Refs.Head(ctx)
	if err != nil {
		return nil, fmt.Errorf("restore: %w", err)
	}
	r := &restoreJob{repo: repo, req: req, snap: snap, head: head}
	if len(req.Paths) > 0 {
		r.part, err = snap.selectFiles(ctx, repo, req.Paths)
		return r, err
	}
	if req.Way == Exact && head != snap.Head {
		return nil, &HeadMovedError{Snapshot: snap.Head, Head: head, Path: repo.WorkTree}
	}
	r.part.stored, err = snap.Items(ctx, repo)
	return r, err
}

// saveBefore saves the present uncommitted work before a restore. If the function Saved is set, it takes a snapshot even if nothing is
// uncommitted, so that the restore can be undone. A repetition of an interrupted restore needs no such snapshot, because the first try has
// already taken it.
func (r *restoreJob) saveBefore(ctx context.Context, again bool) (Snapshot, error) {
	ask := Request{Run: r.req.Run, Cause: "before a restore", Now: r.req.Now, AlsoKeep: r.replacedIgnored}
	switch {
	case again:
		ask.Cause = "after an interrupted restore"
	case r.req.Saved != nil:
		ask.When = EvenClean
	}
	return Take(ctx, r.repo, ask)
}

// restoreJob is one restore of a snapshot in a worktree.
type restoreJob struct {
	repo *gitstate.Repo
	req  RestoreRequest
	snap Snapshot
	// part has the files to restore. If the request names no paths, these are the files that snap.Items returns.
	part selection
	head object.ID
}

// unfinished returns the description of this restore that is stored while the restore changes files.
func (r *restoreJob) unfinished(before Snapshot) *Unfinished {
	return &Unfinished{Purpose: r.req.Purpose, Run: r.req.Run, Number: r.req.Number, Paths: r.req.Paths, Snapshot: r.req.Snapshot, Before: before.ID, BeforeNumber: before.Number}
}

// interrupted finds out whether an earlier call of the same restore was interrupted. If so, it returns the snapshot of the uncommitted
// work that was taken before that call. Its ID is empty if no snapshot was needed. If there was no such call, interrupted returns nil.
func (r *restoreJob) interrupted(ctx context.Context) *Snapshot {
	if r.req.Purpose == "" {
		return nil
	}
	u := FindUnfinished(r.repo.GitDir)
	if u == nil || !u.same(r.unfinished(Snapshot{})) {
		return nil
	}
	if u.Before == "" {
		return &Snapshot{Run: u.Run}
	}
	before, err := Load(ctx, r.repo, u.Before)
	if err != nil {
		return nil // without this snapshot the interrupted restore can no longer be undone, so treat this restore as a new one
	}
	before.Run, before.Number = u.Run, u.BeforeNumber
	return &before
}

// begin stores that this restore is about to change files, and calls the caller's function Saved with the snapshot of the present work.
func (r *restoreJob) begin(before Snapshot, again bool) error {
	if r.req.Purpose != "" && !again {
		if err := r.unfinished(before).note(r.repo); err != nil {
			return err
		}
	}
	if r.req.Saved == nil {
		return nil
	}
	err := r.req.Saved(before, again)
	if err != nil && !again {
		return errors.Join(err, ForgetUnfinished(r.repo.GitDir)) // no file was changed, so the restore is not unfinished
	}
	return err
}

// end waits until the files are on the disk, and then stores that the restore is complete.
func (r *restoreJob) end() error {
	if r.req.Purpose == "" {
		return nil
	}
	if err := dotgit.Durable(r.repo.WorkTree); err != nil {
		return err
	}
	return ForgetUnfinished(r.repo.GitDir)
}

// The method "write" writes the files into the worktree. It also restores the index if all files are restored exactly. The snapshot "now"
// has the work from before the restore.
func (r *restoreJob) write(ctx context.Context, now Snapshot, done *Restored) (err error) {
	if len(r.req.Paths) > 0 {
		done.Paths, err = r.restorePaths(ctx, now)
		return err
	}
	for _, it := range r.part.stored {
		done.Paths = append(done.Paths, it.Path)
	}
	if r.req.Way == Exact {
		return r.exact(ctx, now)
	}
	if done.Differs, err = r.differs(ctx); err != nil {
		return err
	}
	if err := r.clearFolders(now); err != nil {
		return err
	}
	return r.writer().PutAll(ctx, r.part.stored)
}

func (r *restoreJob) writer() writer { return r.snap.Writer(r.repo, r.repo.WorkTree) }

// exact removes untracked files that the snapshot does not have. Then it writes the files of the snapshot and reverts all other changes to
// tracked files. Finally it restores the index.
func (r *restoreJob) exact(ctx context.Context, now Snapshot) error {
	wanted := map[string]bool{}
	for _, it := range r.part.stored {
		wanted[it.Path] = true
	}
	w, saved := r.writer(), Edit(r.repo, r.snap.Tree)
	var tracked []Item
	for _, path := range now.Paths {
		if wanted[path] {
			continue
		}
		e, known, err := saved.Get(ctx, path)
		if err != nil {
			return err
		}
		if known && e.Mode != object.ModeDir {
			tracked = append(tracked, Item{path, e.Mode, e.ID})
			continue
		}
		if err := w.remove(path); err != nil { // the restored snapshot lacks the file, but the snapshot of the present work has it
			return err
		}
	}
	if err := w.fill(ctx, selection{r.part.stored, tracked}); err != nil {
		return err
	}
	if err := w.PutDirs(); err != nil {
		return err
	}
	return r.index(ctx, now)
}

// index restores the staged files. If nothing was staged in the snapshot, nothing is staged afterwards.
func (r *restoreJob) index(ctx context.Context, now Snapshot) error {
	if r.snap.meta.indexFile != "" {
		return r.indexFile(ctx)
	}
	if now.meta.indexTree == "" {
		return nil // nothing is staged
	}
	args := []string{"read-tree", "--reset", string(r.head)}
	if r.head == "" {
		args = []string{"read-tree", "--empty"}
	}
	_, err := r.repo.Git(ctx, process.Call{Args: args, Mode: process.Write, Locks: []string{filepath.Join(r.repo.GitDir, "index.lock")}})
	return err
}

// indexFile restores the saved index byte for byte. It returns an error if a git process holds the lock of the index.
func (r *restoreJob) indexFile(ctx context.Context) error {
	entries, err := r.repo.Objects.Tree(ctx, string(r.snap.index))
	if err != nil {
		return fmt.Errorf("read saved index: %w", err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name, "sharedindex.") {
			continue
		}
		data, err := r.repo.Objects.Blob(ctx, e.ID)
		if err != nil {
			return err
		}
		if err := place.WriteMissing(filepath.Join(r.repo.GitDir, e.Name), data); err != nil {
			return err
		}
	}
	data, err := r.repo.Objects.Blob(ctx, r.snap.meta.indexFile)
	if err != nil {
		return fmt.Errorf("read saved index: %w", err)
	}
	return r.replaceIndex(filepath.Join(r.repo.GitDir, "index"), data)
}

// replaceIndex writes the index in one step. It returns an error if the index is locked. It does not lock the index itself, because a
// killed process would leave the lock.
func (r *restoreJob) replaceIndex(path string, data []byte) error {
	if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, data) {
		return nil
	}
	lock := path + ".lock"
	if _, err := os.Lstat(lock); err == nil {
		return fmt.Errorf("'%s' exists: another git process may be running; if none is, remove that file", lock)
	}
	if err := r.repo.Guard.Replace(path, data); err != nil {
		return err
	}
	// A file that changed in the moment in which git wrote this index has the time and size that the index knows. git finds that out because
	// such a file is not older than the index. So the index must not look younger than it is, and it is not known how old it is.
	return os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0))
}

// The method differs() compares the present HEAD with the HEAD of the snapshot. It lists the saved files whose versions in these two
// commits differ.
func (r *restoreJob) differs(ctx context.Context) ([]string, error) {
	if r.head == r.snap.Head {
		return nil, nil
	}
	now, err := TreeOf(ctx, r.repo, r.head)
	if err != nil {
		return nil, err
	}
	from, onto := Edit(r.repo, r.snap.headTree), Edit(r.repo, now)
	var paths []string
	for _, it := range r.part.stored {
		a, _, errA := from.Get(ctx, it.Path)
		b, _, errB := onto.Get(ctx, it.Path)
		if err := errors.Join(errA, errB); err != nil {
			return nil, err
		}
		if a != b {
			paths = append(paths, it.Path)
		}
	}
	return paths, nil
}

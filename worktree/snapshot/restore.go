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
	"github.com/git-resume/git-resume/worktree/place"
)

// Way says how much Restore changes.
type Way int

const (
	// Exact restores files, deletions and index exactly as they were. HEAD must be the same commit as in the snapshot.
	Exact Way = iota
	// Onto writes the saved files into the worktree, whatever commit is checked out. It does not change the index or any other file.
	Onto
)

// RestoreRequest asks to restore a snapshot in repo's worktree.
type RestoreRequest struct {
	Snapshot object.ID
	Way      Way
	// Paths limits the restore to some files and folders. Then HEAD may be another commit, and the index does not change.
	Paths []string
	// Run is the run under which Restore first saves the present uncommitted work.
	Run string
	Now func() time.Time
	// Saved, if set, is called when the present work is saved, and before anything is changed. If it returns an error, nothing is changed.
	Saved func(before Snapshot) error
}

// Restored is the result of Restore.
type Restored struct {
	// Before is the snapshot of the work that was uncommitted before the restore. Its ID is empty if there was none.
	Before Snapshot
	Paths  []string
	// Differs lists restored files whose committed version has changed since the snapshot was taken.
	Differs []string
}

// HeadMovedError reports that another commit is checked out than when the snapshot was taken.
type HeadMovedError struct{ Snapshot, Head object.ID }

func (e *HeadMovedError) Error() string {
	return fmt.Sprintf("the snapshot was taken at commit %s, but %s is checked out", e.Snapshot.Short(), e.Head.Short())
}

// Restore restores a snapshot, byte for byte, after it has saved the present uncommitted work. If Restore is killed, calling it again
// completes the work.
func Restore(ctx context.Context, repo *gitstate.Repo, req RestoreRequest) (Restored, error) {
	snap, err := Load(ctx, repo, req.Snapshot)
	if err != nil {
		return Restored{}, fmt.Errorf("restore: %w", err)
	}
	_, head, err := repo.Refs.Head(ctx)
	if err != nil {
		return Restored{}, fmt.Errorf("restore: %w", err)
	}
	if req.Way == Exact && len(req.Paths) == 0 && head != snap.Head {
		return Restored{}, &HeadMovedError{snap.Head, head}
	}
	items, err := snap.Items(ctx, repo)
	if err != nil {
		return Restored{}, err
	}
	var part selection
	if len(req.Paths) > 0 { // an unknown path must be refused before a snapshot is taken
		if part, err = snap.selectFiles(ctx, repo, req.Paths); err != nil {
			return Restored{}, err
		}
	}
	before, err := saveBefore(ctx, repo, req)
	if err != nil {
		return Restored{}, err
	}
	r := restoreJob{repo: repo, snap: snap, items: items, head: head}
	done := Restored{Before: before}
	if len(req.Paths) > 0 {
		done.Paths, err = r.restorePaths(ctx, before, req.Paths, part)
		return done, err
	}
	for _, it := range items {
		done.Paths = append(done.Paths, it.Path)
	}
	if req.Way == Onto {
		done.Differs, err = r.differs(ctx)
		if err != nil {
			return done, err
		}
		return done, writer{repo, repo.WorkTree, snap.meta}.PutAll(ctx, items)
	}
	return done, r.exact(ctx, before)
}

// saveBefore saves the present uncommitted work. If the caller wants to know the snapshot, there is one even if nothing is uncommitted,
// so that the restore can be undone.
func saveBefore(ctx context.Context, repo *gitstate.Repo, req RestoreRequest) (Snapshot, error) {
	ask := Request{Run: req.Run, Cause: "before a restore", Now: req.Now}
	before, err := Take(ctx, repo, ask)
	if err != nil || req.Saved == nil {
		return before, err
	}
	if before.ID == "" {
		ask.When = Always
		if before, err = Take(ctx, repo, ask); err != nil {
			return before, err
		}
	}
	return before, req.Saved(before)
}

type restoreJob struct {
	repo  *gitstate.Repo
	snap  Snapshot
	items []Item
	head  object.ID
}

// exact first reverts the present changes that the snapshot did not have. Then it writes the files of the snapshot, and at last it restores
// the index.
func (r restoreJob) exact(ctx context.Context, before Snapshot) error {
	wanted := map[string]bool{}
	for _, it := range r.items {
		wanted[it.Path] = true
	}
	w := writer{r.repo, r.repo.WorkTree, r.snap.meta}
	var tracked []string
	for _, path := range before.Paths {
		if wanted[path] {
			continue
		}
		e, known, err := Edit(r.repo, r.snap.Tree).Get(ctx, path)
		if err != nil {
			return err
		}
		if known && e.Mode != object.ModeDir {
			tracked = append(tracked, path)
			continue
		}
		if err := w.remove(path); err != nil { // the file is untracked, and the snapshot of the present work contains it
			return err
		}
	}
	if err := r.checkout(ctx, tracked); err != nil {
		return err
	}
	if err := w.PutAll(ctx, r.items); err != nil {
		return err
	}
	if err := w.PutDirs(); err != nil {
		return err
	}
	return r.index(ctx)
}

// checkout restores the files that had no changes in the snapshot. git writes them from HEAD, through its filters.
func (r restoreJob) checkout(ctx context.Context, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	tmp, done, err := r.repo.Guard.TempDir()
	if err != nil {
		return err
	}
	defer done()
	env := []string{"GIT_INDEX_FILE=" + filepath.Join(tmp, "index")}
	_, err = r.repo.Git(ctx, process.Call{Args: []string{"read-tree", string(r.head)}, Mode: process.Write, Env: env})
	if err != nil {
		return fmt.Errorf("prepare a checkout: %w", err)
	}
	_, err = r.repo.Git(ctx, process.Call{Args: []string{"checkout-index", "-q", "-f", "-z", "--stdin"}, Mode: process.Write, Env: env,
		Stdin: strings.NewReader(strings.Join(paths, "\x00") + "\x00")})
	if err != nil {
		return fmt.Errorf("check out files: %w", err)
	}
	return nil
}

func (r restoreJob) index(ctx context.Context) error {
	if r.snap.meta.indexFile != "" {
		return r.indexFile(ctx)
	}
	look, err := r.repo.ReadState(ctx)
	if err != nil {
		return err
	}
	for _, c := range look.Changes {
		if c.Staged() || c.Unmerged || c.Tree == 'A' {
			args := []string{"read-tree", "--reset", string(r.head)}
			if r.head == "" {
				args = []string{"read-tree", "--empty"}
			}
			_, err := r.repo.Git(ctx, process.Call{Args: args, Mode: process.Write,
				Locks: []string{filepath.Join(r.repo.GitDir, "index.lock")}})
			return err
		}
	}
	return nil
}

// indexFile restores the saved index byte for byte. It returns an error if a git process holds the lock of the index.
func (r restoreJob) indexFile(ctx context.Context) error {
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
	return replaceIndex(filepath.Join(r.repo.GitDir, "index"), data)
}

// replaceIndex writes the index in one step. It returns an error if the index is locked. It does not lock the index itself, because a
// killed process would leave the lock.
func replaceIndex(path string, data []byte) error {
	if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, data) {
		return nil
	}
	lock := path + ".lock"
	if _, err := os.Lstat(lock); err == nil {
		return fmt.Errorf("'%s' exists: another git process may be running; if none is, remove that file", lock)
	}
	return place.Replace(path, data)
}

// differs lists saved files whose version in the present HEAD is not the one on which the snapshot is based.
func (r restoreJob) differs(ctx context.Context) ([]string, error) {
	if r.head == r.snap.Head {
		return nil, nil
	}
	now, err := TreeOf(ctx, r.repo, r.head)
	if err != nil {
		return nil, err
	}
	from, onto := Edit(r.repo, r.snap.headTree), Edit(r.repo, now)
	var paths []string
	for _, it := range r.items {
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

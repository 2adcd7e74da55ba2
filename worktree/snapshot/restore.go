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

// Way says how far Restore goes.
type Way int

const (
	// Exact makes the worktree what it was: files, deletions and index; HEAD must be where it was.
	Exact Way = iota
	// Onto writes the saved files over whatever is checked out, and leaves the index and all other files alone.
	Onto
)

// RestoreRequest asks for a snapshot to be put back into repo's worktree.
type RestoreRequest struct {
	Snapshot object.ID
	Way      Way
	// Run gets the snapshot of what is there now.
	Run string
	Now func() time.Time
}

// Restored is what Restore did.
type Restored struct {
	// Before holds what was uncommitted until now; its ID is empty if nothing was.
	Before Snapshot
	Paths  []string
	// Differs are paths restored onto a commit that has another version of them than the one they were edited from.
	Differs []string
}

// headMovedError says that a snapshot belongs to another commit than the one checked out.
type headMovedError struct{ Snapshot, Head object.ID }

func (e *headMovedError) Error() string {
	return fmt.Sprintf("the snapshot was taken at %s, and %s is checked out", e.Snapshot.Short(), e.Head.Short())
}

// indexLockedError says that somebody holds the lock of an index.
type indexLockedError struct{ Path string }

func (e *indexLockedError) Error() string { return fmt.Sprintf("'%s' exists", e.Path) }

// Restore puts a snapshot back, byte for byte, after saving what is uncommitted now.
// A killed Restore is finished by the same call.
func Restore(ctx context.Context, repo *gitstate.Repo, req RestoreRequest) (Restored, error) {
	snap, err := Load(ctx, repo, req.Snapshot)
	if err != nil {
		return Restored{}, fmt.Errorf("restore: %w", err)
	}
	_, head, err := repo.Refs.Head(ctx)
	if err != nil {
		return Restored{}, fmt.Errorf("restore: %w", err)
	}
	if req.Way == Exact && head != snap.Head {
		return Restored{}, &headMovedError{snap.Head, head}
	}
	before, err := Take(ctx, repo, Request{Run: req.Run, Cause: "before a restore", Now: req.Now})
	if err != nil {
		return Restored{}, err
	}
	items, err := snap.Items(ctx, repo)
	if err != nil {
		return Restored{}, err
	}
	r := restoring{repo: repo, snap: snap, items: items, head: head}
	done := Restored{Before: before}
	for _, it := range items {
		done.Paths = append(done.Paths, it.Path)
	}
	if req.Way == Onto {
		done.Differs, err = r.differs(ctx)
		if err != nil {
			return done, err
		}
		return done, writer{repo, repo.WorkTree, snap.facts}.PutAll(ctx, items)
	}
	return done, r.exact(ctx, before)
}

type restoring struct {
	repo  *gitstate.Repo
	snap  Snapshot
	items []Item
	head  object.ID
}

// exact first undoes what the snapshot does not know, then writes what it holds, then sets the index.
func (r restoring) exact(ctx context.Context, before Snapshot) error {
	wanted := map[string]bool{}
	for _, it := range r.items {
		wanted[it.Path] = true
	}
	w := writer{r.repo, r.repo.WorkTree, r.snap.facts}
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
		if err := w.remove(path); err != nil { // untracked, and saved a moment ago
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

// checkout gives files back that were unchanged when the snapshot was taken:
// their bytes are what git makes of HEAD's, through its filters.
func (r restoring) checkout(ctx context.Context, paths []string) error {
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
		return fmt.Errorf("check files out: %w", err)
	}
	return nil
}

// index sets the index to what it was.
func (r restoring) index(ctx context.Context) error {
	if r.snap.facts.indexFile != "" {
		return r.indexFile(ctx)
	}
	look, err := r.repo.Look(ctx)
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

// indexFile writes the index byte for byte, under git's own lock.
func (r restoring) indexFile(ctx context.Context) error {
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
	data, err := r.repo.Objects.Blob(ctx, r.snap.facts.indexFile)
	if err != nil {
		return fmt.Errorf("read saved index: %w", err)
	}
	return replaceIndex(filepath.Join(r.repo.GitDir, "index"), data)
}

// replaceIndex puts an index in place in one step. It respects a lock that is there but takes none:
// a kill would leave it behind, and what was in the index until now is saved.
func replaceIndex(path string, data []byte) error {
	if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, data) {
		return nil
	}
	lock := path + ".lock"
	if _, err := os.Lstat(lock); err == nil {
		return &indexLockedError{lock}
	}
	return place.Replace(path, data)
}

// differs names the items whose file on HEAD is not the one that the work began from.
func (r restoring) differs(ctx context.Context) ([]string, error) {
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

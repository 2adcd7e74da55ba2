package snapshot

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/worktree/series"
)

// When says whether to make a snapshot even if nothing has changed.
type When int

const (
	// IfNeeded makes no snapshot if there is nothing to save, or if the newest snapshot already contains the same work.
	IfNeeded When = iota
	// Always makes a snapshot in any case.
	Always
	// EvenClean makes a snapshot even if nothing is uncommitted. But if something is uncommitted, and the newest snapshot already
	// contains the same work, it makes none.
	EvenClean
)

// Request asks for a snapshot of a repository's worktree.
type Request struct {
	Run   string
	Cause string // a short reason for the snapshot, shown to people
	When  When
	Scope Scope
	// MaxFile is the size in bytes above which a file is left out and listed in Left. Zero means no limit.
	MaxFile int64
	// Keep lists files and folders to save even if git ignores them, such as files in which another tool records the work.
	Keep []string
	// AlsoKeep, if set, gets the ignored files and folders of the worktree, and returns more paths for Keep.
	AlsoKeep func(ignored []string) []string
	Now      func() time.Time
}

// Snapshot describes uncommitted work that was saved.
type Snapshot struct {
	// ID is the snapshot's git tree. It is empty if there was nothing to save.
	ID object.ID
	// Number is the number of the snapshot in refs/resume/snapshots/<run>. Zero means that the number is not known.
	Number int
	// Was is the commit from which this snapshot was made, for example one that another clone sent. It is empty if there was none.
	Was   object.ID
	Run   string
	Cause string
	At    time.Time
	Scope Scope
	// Head is the commit of HEAD. Tree is the git tree with the files. Index is the tree of the staged files, or empty if nothing was staged.
	Head  object.ID
	Tree  object.ID
	Index object.ID
	// Paths lists the files that differed from HEAD, sorted by name. With the scope Whole, it lists all saved files, in any order. Only
	// Take fills it in.
	Paths []string
	// Deleted lists the files among Paths that had been deleted.
	Deleted []string
	// Left lists files and folders that are not in the snapshot. After Load it has at most MaxLeft
	// of them.
	Left []Omission
	// Made is false if Take made no new snapshot, because there was nothing to save, or because the newest snapshot already contained the
	// work.
	Made bool

	meta metadata
	// headTree is the git tree of HEAD. The field "index" is a git tree with the saved index: a copy of the index file, and the staged
	// files as a tree. It is empty if the index was not saved.
	headTree object.ID
	index    object.ID
	// The field "commits" has the tree entries that save commits which are on no branch.
	commits []object.Entry
}

// Name returns a name for the snapshot that git commands accept, as in "git show NAME/work/FILE". It returns the id if the snapshot has no
// number.
func (s Snapshot) Name() string {
	if s.Number == 0 {
		return string(s.ID)
	}
	return string(Ref(s.Run)) + ":" + series.NumberName(s.Number)
}

// Take saves the uncommitted work in a worktree as the newest snapshot of a run. It saves changed and untracked files byte for byte, and
// the index if something is staged. Changed files that "git status" was told to hide are saved too. Files that are not saved are listed
// in Left. Take changes neither the worktree nor the index, and works even if the index is locked.
func Take(ctx context.Context, repo *gitstate.Repo, req Request) (Snapshot, error) {
	if err := series.CheckRun(req.Run); err != nil {
		return Snapshot{}, err
	}
	kept := series.Of(repo, series.Snapshots, req.Run)
	before, err := repo.Refs.Ref(ctx, kept.Ref)
	if err != nil {
		return Snapshot{}, fmt.Errorf("save uncommitted work: %w", err)
	}
	for i := 1; ; i++ {
		if i > 1 {
			if err := kept.Shorten(ctx, before); err != nil {
				return Snapshot{}, fmt.Errorf("save uncommitted work: %w", err)
			}
		}
		snap, relied, err := takeOnce(ctx, repo, req)
		if err == nil && snap.Number > 0 {
			err = kept.Secure(ctx, before, relied)
		}
		if err == nil {
			return snap, nil
		}
		// A running "gc --prune=now" may delete the new objects before the ref protects them. Then everything is written again.
		if i == series.Tries || !series.Vanished(err) && !errors.Is(err, series.ErrVanished) {
			return Snapshot{}, fmt.Errorf("save uncommitted work: %w", err)
		}
	}
}

func takeOnce(ctx context.Context, repo *gitstate.Repo, req Request) (snap Snapshot, relied []object.ID, err error) {
	t, err := newSnapshotJob(ctx, repo, req)
	if err != nil {
		return Snapshot{}, nil, err
	}
	if err := t.read(ctx); err != nil {
		return Snapshot{}, nil, err
	}
	snap, err = t.link(ctx)
	return snap, t.relied(), err
}

// snapshotJob is one snapshot while it is being made.
type snapshotJob struct {
	repo *gitstate.Repo
	req  Request
	*capture

	look     gitstate.WorktreeState
	meta     metadata
	tree     object.ID
	headTree object.ID
	index    object.ID
	paths    []string
	deleted  []string
}

func newSnapshotJob(ctx context.Context, repo *gitstate.Repo, req Request) (*snapshotJob, error) {
	h, err := repo.Settings.Hasher(ctx)
	if err != nil {
		return nil, err
	}
	return &snapshotJob{repo: repo, req: req, capture: newCapture(repo, h, req.MaxFile)}, nil
}

// read examines the worktree and collects everything that a snapshot needs, except its number.
func (t *snapshotJob) read(ctx context.Context) error {
	hidden := make(chan []string, 1)
	failed := make(chan error, 1)
	go func() { // this runs at the same time as git status, which takes longer
		list, err := t.repo.Hidden(ctx)
		hidden <- list
		failed <- err
	}()
	lookAround := t.repo.ReadState
	if t.req.Scope == Whole {
		lookAround = t.repo.LookOutside
	}
	look, err := lookAround(ctx)
	list, hiddenErr := <-hidden, <-failed
	if err := errors.Join(err, hiddenErr); err != nil {
		return err
	}
	t.look = look
	if t.headTree, err = TreeOf(ctx, t.repo, look.Head); err != nil {
		return err
	}
	t.meta = metadata{scope: t.req.Scope, head: look.Head, dirs: map[string]uint32{}}
	if err := t.takeKept(ctx); err != nil {
		return err
	}
	if t.req.Scope == Whole {
		err = t.readWhole(ctx)
	} else {
		err = t.readChanged(ctx, list)
	}
	if err != nil {
		return err
	}
	t.noteModes()
	for _, path := range t.look.Ignored {
		t.left = append(t.left, Omission{Kind: Ignored, Path: path})
	}
	sortLeft(t.left)
	t.meta.left = t.left
	return t.readIndex(ctx)
}

// readChanged builds the tree of the snapshot. It starts with HEAD's tree, and adds the changes that git reports. It also adds changes to
// the files in the list "hidden", which "git status" does not show.
func (t *snapshotJob) readChanged(ctx context.Context, hidden []string) error {
	base := t.headTree
	for _, c := range t.look.Changes {
		if err := t.readPath(ctx, pathRequest{path: c.Path, mode: c.ModeTree, submodule: c.Submodule[0] == 'S'}); err != nil {
			return err
		}
	}
	if err := t.takeHidden(ctx, base, hidden); err != nil {
		return err
	}
	before, after := Edit(t.repo, base), Edit(t.repo, base)
	for _, path := range sortedKeys(t.found) {
		was, had, err := before.Get(ctx, path)
		if err != nil {
			return err
		}
		now := t.found[path]
		if now.id == "" {
			if err := after.remove(ctx, path); err != nil {
				return err
			}
			continue
		}
		if had && was.ID == now.id && was.Mode == now.mode && now.mode != object.ModeSubmodule {
			t.meta.raw = append(t.meta.raw, path)
		}
	}
	for _, path := range sortedKeys(t.found) { // files are added after all removals, because a file may have replaced a directory
		if now := t.found[path]; now.id != "" {
			if err := after.put(ctx, path, now.mode, now.id); err != nil {
				return err
			}
		}
	}
	t.paths = sortedKeys(t.found)
	for _, path := range t.paths {
		if t.found[path].id == "" {
			t.deleted = append(t.deleted, path)
		}
	}
	t.tree = after.write(t.pending)
	return nil
}

// takeHidden saves changed files that "git status" does not show, for example after "git update-index --assume-unchanged".
func (t *snapshotJob) takeHidden(ctx context.Context, base object.ID, hidden []string) error {
	head := Edit(t.repo, base)
	for _, path := range hidden {
		if _, seen := t.found[path]; seen {
			continue
		}
		was, _, err := head.Get(ctx, path)
		if err != nil {
			return err
		}
		if err := t.readPath(ctx, pathRequest{path: path, have: was.ID, submodule: was.Mode == object.ModeSubmodule}); err != nil {
			return err
		}
		now := t.found[path]
		if now.id == "" || now.id == was.ID && now.mode == was.Mode {
			delete(t.found, path) // the file is not checked out, or has not changed
		}
	}
	return nil
}

// Ref returns the ref of a run's snapshots. It points to a git tree with numbered entries.
func Ref(run string) refs.Name { return refs.Name(series.Root + series.Snapshots + "/" + run) }

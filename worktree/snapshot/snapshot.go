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

// When says whether a snapshot is made of a tree in which nothing is uncommitted.
type When int

const (
	// IfNeeded makes none when there is nothing to save, or when the newest one already holds the same.
	IfNeeded When = iota
	// Always makes one.
	Always
)

// Request asks for a snapshot of a repository's worktree.
type Request struct {
	Run   string
	Cause string // a few words for people
	When  When
	Scope Scope
	// MaxFile is the size in bytes over which a file is left out and named; zero is no limit.
	MaxFile int64
	// Keep are files and folders that are saved even where git ignores them: another system's own record of the work.
	Keep []string
	Now  func() time.Time
}

// Snapshot is uncommitted work as saved.
type Snapshot struct {
	// ID is the tree that holds it, or the commit if the version before took it; empty if there was nothing to save.
	ID object.ID
	// Number is its place among the run's snapshots; zero where it is not known.
	Number int
	// Was is the commit that it was before it came into the tree of snapshots.
	Was   object.ID
	Run   string
	Cause string
	At    time.Time
	Scope Scope
	// Head is where HEAD was, Tree the files, Index the tree of what was staged (empty if nothing was).
	Head  object.ID
	Tree  object.ID
	Index object.ID
	// Paths are the files that were not as HEAD has them, by name; known only to who took it.
	Paths []string
	// Deleted are those of them that are not there any more.
	Deleted []string
	// Left is what the snapshot does not hold.
	Left []Left
	// Made is false if the newest snapshot already held exactly this.
	Made bool

	facts facts
	// headTree are HEAD's files, and index is the folder with the index's own bytes; empty if there were none.
	headTree object.ID
	index    object.ID
	// commits are the lines of its tree for commits that nothing else knew.
	commits []object.Entry
}

// Name is what plain git knows the snapshot by: "git show NAME/work/FILE".
func (s Snapshot) Name() string {
	if s.Number == 0 {
		return string(s.ID)
	}
	return string(Ref(s.Run)) + ":" + series.NumberName(s.Number)
}

// Take saves what is uncommitted in repo's worktree as the newest snapshot of a run.
// It holds tracked, untracked and hidden files byte for byte, their modes, links as links, and the index if something is staged.
// Index, HEAD, files, reflogs and stash stay as they are, and a lock that somebody holds is no hindrance.
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
		// A "gc --prune=now" may remove objects before the ref names them, or just after: then all is written again.
		if i == series.Tries || !series.Vanished(err) && !errors.Is(err, series.ErrVanished) {
			return Snapshot{}, fmt.Errorf("save uncommitted work: %w", err)
		}
	}
}

func takeOnce(ctx context.Context, repo *gitstate.Repo, req Request) (snap Snapshot, relied []object.ID, err error) {
	t, err := newTaking(ctx, repo, req)
	if err != nil {
		return Snapshot{}, nil, err
	}
	if err := t.read(ctx); err != nil {
		return Snapshot{}, nil, err
	}
	snap, err = t.link(ctx)
	return snap, t.relied(), err
}

// taking is one snapshot in the making.
type taking struct {
	repo *gitstate.Repo
	req  Request
	*capture

	look     gitstate.Look
	facts    facts
	tree     object.ID
	headTree object.ID
	index    object.ID
	paths    []string
	deleted  []string
}

func newTaking(ctx context.Context, repo *gitstate.Repo, req Request) (*taking, error) {
	h, err := repo.Settings.Hasher(ctx)
	if err != nil {
		return nil, err
	}
	return &taking{repo: repo, req: req, capture: newCapture(repo, h, req.MaxFile)}, nil
}

// read looks at the worktree and collects everything that a snapshot needs, except its place among the others.
func (t *taking) read(ctx context.Context) error {
	hidden := make(chan []string, 1)
	failed := make(chan error, 1)
	go func() { // beside the look, which takes longer
		list, err := t.repo.Hidden(ctx)
		hidden <- list
		failed <- err
	}()
	lookAround := t.repo.Look
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
	t.facts = facts{scope: t.req.Scope, head: look.Head, dirs: map[string]uint32{}}
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
		t.left = append(t.left, Left{Kind: Ignored, Path: path})
	}
	sortLeft(t.left)
	t.facts.left = t.left
	return t.readIndex(ctx)
}

// readChanged saves what git reports and what it was told not to look at, over HEAD's tree.
func (t *taking) readChanged(ctx context.Context, hidden []string) error {
	base := t.headTree
	for _, c := range t.look.Changes {
		if err := t.take(ctx, want{path: c.Path, mode: c.ModeTree, submodule: c.Submodule[0] == 'S'}); err != nil {
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
			t.facts.raw = append(t.facts.raw, path)
		}
	}
	for _, path := range sortedKeys(t.found) { // after all removals: a directory may have become a file
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

// takeHidden saves the files that git was told not to look at, where they are there and not as HEAD has them.
func (t *taking) takeHidden(ctx context.Context, base object.ID, hidden []string) error {
	head := Edit(t.repo, base)
	for _, path := range hidden {
		if _, seen := t.found[path]; seen {
			continue
		}
		was, _, err := head.Get(ctx, path)
		if err != nil {
			return err
		}
		if err := t.take(ctx, want{path: path, have: was.ID, submodule: was.Mode == object.ModeSubmodule}); err != nil {
			return err
		}
		now := t.found[path]
		if now.id == "" || now.id == was.ID && now.mode == was.Mode {
			delete(t.found, path) // not checked out, or as it was
		}
	}
	return nil
}

// Ref is where a run's snapshots are: a tree of numbered entries.
func Ref(run string) refs.Name { return refs.Name(series.Root + series.Snapshots + "/" + run) }

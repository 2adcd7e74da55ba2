package trash

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/worktree/place"
	"github.com/git-resume/git-resume/worktree/series"
	"github.com/git-resume/git-resume/worktree/snapshot"
	"github.com/git-resume/git-resume/worktree/treetest"
)

func TestDiscard_twoAtOnce(t *testing.T) {
	t.Parallel()
	f, tree := newStagedRepo(t)
	tree.Messy()
	want := tree.state(t)
	var group sync.WaitGroup
	results := make([]error, 4)
	for i := range results {
		group.Go(func() {
			repo := f.Open()
			_, results[i] = Discard(t.Context(), repo, f.dropRequest(tree))
		})
	}
	group.Wait()
	won := 0
	for _, err := range results {
		var busy *BusyError
		switch {
		case err == nil:
			won++
		case !errors.As(err, &busy):
			t.Errorf("loser got %v", err)
		}
	}
	if won == 0 || treetest.Exists(tree.Dir) {
		t.Errorf("%d won, tree there: %v", won, treetest.Exists(tree.Dir))
	}
	f.gc()
	f.undo()
	requireState(t, want, tree.state(t))
	f.Fsck()
}

// runGC deletes unreachable objects again and again, until it is stopped.
func (f *fixture) runGC() (stop func()) {
	ctx, cancel := context.WithCancel(f.T.Context())
	var group sync.WaitGroup
	group.Go(func() {
		for ctx.Err() == nil {
			_, _ = f.Try("prune", "--expire=now") // deletes unreachable objects, as "gc --prune=now" does
			_, _ = f.Try("gc", "-q", "--prune=now")
		}
	})
	return func() {
		cancel()
		group.Wait()
	}
}

// rounds returns the first argument in everyday tests, and the second one if all tests were requested.
func rounds(few, many int) int {
	if gittest.Proving() {
		return many
	}
	return few
}

// A gc runs all the time while snapshots are taken. Every snapshot that Take reports must still have its
// file afterwards.
func TestSnapshot_besideGc(t *testing.T) {
	t.Parallel()
	f, tree := newStagedRepo(t)
	stop := f.runGC()
	var all []snapshot.Snapshot
	for i := range rounds(8, 200) {
		tree.Write("half", fmt.Sprint("round ", i))
		snap, err := snapshot.Take(t.Context(), tree.Open(), snapshot.Request{Run: treetest.Job, Now: treetest.Clock})
		if err != nil && !errors.Is(err, series.ErrVanished) { // ErrVanished is allowed, because no work is lost
			t.Fatal(err)
		}
		if err == nil {
			all = append(all, snap)
		}
	}
	stop()
	for i, snap := range all {
		if _, err := f.Try("cat-file", "-e", snap.Name()+"/work/half"); err != nil {
			t.Errorf("snapshot %d of %d: %v", i+1, len(all), err)
		}
	}
	if len(all) == 0 {
		t.Error("no snapshot was taken")
	}
	f.Fsck()
}

func TestDiscard_besideGc(t *testing.T) {
	t.Parallel()
	f, tree := newStagedRepo(t)
	tree.Messy()
	want := tree.state(t)
	stop := f.runGC()
	for range rounds(3, 30) {
		if _, err := Discard(t.Context(), f.Open(), f.dropRequest(tree)); err != nil {
			if errors.Is(err, series.ErrVanished) {
				continue // ErrVanished is allowed, because the next call continues
			}
			t.Errorf("discard: %v", err)
			break
		}
		if _, err := Undo(t.Context(), f.Open(), UndoRequest{Run: treetest.Job, Now: treetest.Clock}); err != nil {
			t.Errorf("undo: %v", err)
			break
		}
		treetest.RequireSame(t, want.files, treetest.Dump(t, tree.Dir))
		if t.Failed() {
			break
		}
	}
	stop()
	if !treetest.Exists(tree.Dir) {
		f.undo()
	}
	got := tree.state(t)
	delete(want.admin, "logs/HEAD") // a gc can change reflogs, so they are not compared
	delete(got.admin, "logs/HEAD")
	requireState(t, want, got)
	f.Fsck()
}

// "git worktree prune", which every gc calls, removes the folder .git/worktrees whenever it is empty. Move must succeed even if the
// target's parent folder is removed up to ten times during the move.
func TestMove_besideAPrune(t *testing.T) {
	t.Parallel()
	from, dir := filepath.Join(t.TempDir(), "kept"), filepath.Join(t.TempDir(), "worktrees")
	to := filepath.Join(dir, "job")
	var left atomic.Int32 // how many more times the folder is removed during this move
	stop, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if left.Load() > 0 && os.Remove(dir) == nil { // this removes only an empty folder
				left.Add(-1)
			}
		}
	}()
	defer func() { close(stop); <-over }()
	if err := os.Mkdir(from, 0o700); err != nil {
		t.Fatal(err)
	}
	for range 500 {
		left.Store(10)
		if err := place.Move(from, to); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(to, from); err != nil {
			t.Fatal(err)
		}
	}
}

// A process continues to write into a file while the worktree is discarded. Everything that it wrote before the worktree was moved must be
// in the file after Undo.
func TestDiscard_writesUntilTheMoveAreKept(t *testing.T) {
	t.Parallel()
	f, tree := newStagedRepo(t)
	tree.Write("log", "first\n")
	out, err := os.OpenFile(tree.Path("log"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	req := f.dropRequest(tree)
	req.Intent = func(context.Context, Discarded) error { // Intent is called after the first snapshot
		_, err := out.WriteString("second\n")
		return err
	}
	if _, err := Discard(t.Context(), f.Open(), req); err != nil {
		t.Fatal(err)
	}
	f.undo()
	if got, _ := os.ReadFile(tree.Path("log")); string(got) != "first\nsecond\n" {
		t.Errorf("log is %q", got)
	}
}

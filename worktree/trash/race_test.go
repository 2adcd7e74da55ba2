package trash

import (
	"context"
	"errors"
	"github.com/git-resume/git-resume/worktree/treetest"
	"os"
	"sync"
	"testing"
)

func TestDiscard_twoAtOnce(t *testing.T) {
	t.Parallel()
	f, tree := staged(t)
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

func TestDiscard_besideGc(t *testing.T) {
	t.Parallel()
	f, tree := staged(t)
	tree.Messy()
	want := tree.state(t)
	ctx, stop := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() {
		for ctx.Err() == nil {
			_, _ = f.Try("prune", "--expire=now") // what "gc --prune=now" does to objects that no ref names yet
			_, _ = f.Try("gc", "-q", "--prune=now")
		}
	})
	rounds := 3
	if os.Getenv("GIT_RESUME_PROVE") != "" {
		rounds = 30
	}
	for range rounds {
		if _, err := Discard(t.Context(), f.Open(), f.dropRequest(tree)); err != nil {
			if errors.Is(err, errVanish) {
				continue // said so; the next call goes on where this one stopped
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
	group.Wait()
	if !treetest.Exists(tree.Dir) {
		f.undo()
	}
	got := tree.state(t)
	delete(want.admin, "logs/HEAD") // gc writes reflogs anew
	delete(got.admin, "logs/HEAD")
	requireState(t, want, got)
	f.Fsck()
}

// A writer that is not told goes on while the tree is dropped; what it wrote before the move must be there after undo.
func TestDiscard_writesUntilTheMoveAreKept(t *testing.T) {
	t.Parallel()
	f, tree := staged(t)
	tree.Write("log", "first\n")
	out, err := os.OpenFile(tree.Path("log"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	req := f.dropRequest(tree)
	req.Intent = func(context.Context, Discarded) error { // after the first snapshot
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

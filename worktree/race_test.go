package worktree

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
)

func TestDiscard_twoAtOnce(t *testing.T) {
	t.Parallel()
	f, tree := staged(t)
	messy(tree)
	want := tree.state(t)
	var group sync.WaitGroup
	results := make([]error, 4)
	for i := range results {
		group.Go(func() {
			repo := f.repo()
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
	if won == 0 || exists(tree.dir) {
		t.Errorf("%d won, tree there: %v", won, exists(tree.dir))
	}
	f.gc()
	f.undo()
	requireState(t, want, tree.state(t))
	f.fsck()
}

func TestDiscard_besideGc(t *testing.T) {
	t.Parallel()
	f, tree := staged(t)
	messy(tree)
	want := tree.state(t)
	ctx, stop := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() {
		for ctx.Err() == nil {
			_, _ = f.try("prune", "--expire=now") // what "gc --prune=now" does to objects that no ref names yet
			_, _ = f.try("gc", "-q", "--prune=now")
		}
	})
	rounds := 3
	if os.Getenv("GIT_RESUME_PROVE") != "" {
		rounds = 30
	}
	for range rounds {
		if _, err := Discard(t.Context(), f.repo(), f.dropRequest(tree)); err != nil {
			if errors.Is(err, errVanish) {
				continue // said so; the next call goes on where this one stopped
			}
			t.Errorf("discard: %v", err)
			break
		}
		if _, err := Undo(t.Context(), f.repo(), UndoRequest{Run: job, Now: clock}); err != nil {
			t.Errorf("undo: %v", err)
			break
		}
		requireSame(t, want.files, dump(t, tree.dir))
		if t.Failed() {
			break
		}
	}
	stop()
	group.Wait()
	if !exists(tree.dir) {
		f.undo()
	}
	got := tree.state(t)
	delete(want.admin, "logs/HEAD") // gc writes reflogs anew
	delete(got.admin, "logs/HEAD")
	requireState(t, want, got)
	f.fsck()
}

// A writer that is not told goes on while the tree is dropped; what it wrote before the move must be there after undo.
func TestDiscard_writesUntilTheMoveAreKept(t *testing.T) {
	t.Parallel()
	f, tree := staged(t)
	tree.write("log", "first\n")
	out, err := os.OpenFile(tree.path("log"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	req := f.dropRequest(tree)
	req.Intent = func(context.Context, Discarded) error { // after the first snapshot
		_, err := out.WriteString("second\n")
		return err
	}
	if _, err := Discard(t.Context(), f.repo(), req); err != nil {
		t.Fatal(err)
	}
	f.undo()
	if got, _ := os.ReadFile(tree.path("log")); string(got) != "first\nsecond\n" {
		t.Errorf("log is %q", got)
	}
}

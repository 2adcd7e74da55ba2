package gitstate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/gittest"
)

func TestRef_looseForms(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	r := openAt(t, own)
	id := object.ID(own.Git("rev-parse", "HEAD"))
	put := func(name, text string) { own.Write(filepath.Join(".git", name), text) }
	put("refs/heads/without-newline", string(id))
	put("refs/heads/symbolic", "ref: refs/heads/main\n")
	put("refs/heads/tight", "ref:refs/heads/main")
	put("refs/heads/unborn", "ref: refs/heads/none\n")
	put("refs/heads/ring", "ref: refs/heads/ring\n")
	put("refs/heads/empty", "")
	put("refs/heads/torn", string(id[:20]))
	put("refs/heads/main.lock", "")
	for name, want := range map[string]object.ID{"without-newline": id, "symbolic": id, "tight": id, "unborn": ""} {
		got, err := r.Refs.Ref(t.Context(), refs.Branch(name))
		gittest.NoError(t, name, err)
		gittest.Equal(t, name, got, want)
	}
	for _, name := range []string{"refs/heads/empty", "refs/heads/torn"} {
		var bad *refs.BadError
		if _, err := r.Refs.Ref(t.Context(), refs.Name(name)); !errors.As(err, &bad) || bad.Ref != refs.Name(name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := r.Refs.Ref(t.Context(), "refs/heads/ring"); err == nil {
		t.Error("a ring of refs gave no error")
	}
	names, err := r.Refs.Names(t.Context(), "refs/heads/")
	gittest.NoError(t, "RefNames", err)
	if slices.Contains(names, "main.lock") {
		t.Errorf("a lock file passes for a ref: %q", names)
	}
}

func TestHead_everyForm(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	id := object.ID(own.Git("rev-parse", "HEAD"))
	head := func(name, wantBranch string, want object.ID) {
		t.Helper()
		branch, at, err := openAt(t, own).Refs.Head(t.Context())
		gittest.NoError(t, name, err)
		gittest.Equal(t, name, branch, refs.Name(wantBranch))
		gittest.Equal(t, name, at, want)
	}
	head("on a branch", "refs/heads/main", id)
	own.Git("checkout", "-q", "--detach")
	head("detached", "", id)
	own.Git("checkout", "-q", "--orphan", "new/branch")
	head("unborn", "refs/heads/new/branch", "")
	own.Git("checkout", "-q", "-f", "main")
	own.Git("pack-refs", "--all", "--prune")
	head("packed", "refs/heads/main", id)
	if err := os.Remove(filepath.Join(own.Dir, ".git", "HEAD")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(own.Dir, ".git", "refs", "heads", "main"), []byte(id+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("refs/heads/main", filepath.Join(own.Dir, ".git", "HEAD")); err != nil {
		t.Skip("no links here")
	}
	gittest.Equal(t, "git's branch", own.Git("symbolic-ref", "HEAD"), "refs/heads/main")
	head("a link", "refs/heads/main", id)
}

func TestUpdateRef_busy(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	r := openAt(t, own)
	id := object.ID(own.Git("rev-parse", "HEAD"))
	own.Write(".git/refs/resume/x.lock", "")
	var busy *refs.BusyError
	if err := r.Refs.Update(t.Context(), refs.Update{Ref: "refs/resume/x", New: id}); !errors.As(err, &busy) || busy.Ref != "refs/resume/x" {
		t.Errorf("got %v", err)
	}
	if _, err := os.Lstat(filepath.Join(own.Dir, ".git/refs/resume/x.lock")); err != nil {
		t.Errorf("the lock of another was removed: %v", err)
	}
}

// TestUpdateRef_busyTables checks that Update returns a *BusyError while the lock on all refs is held, and that the
// lock of a dead writer is cleared.
func TestUpdateRef_busyTables(t *testing.T) {
	t.Parallel()
	newer, ok := gittest.Newer()
	if !ok {
		t.Skipf("reftable needs a newer git: set %s to its folder", gittest.NewerVariable)
	}
	own := newer.Fresh(t, "repo", "--ref-format=reftable")
	lock := filepath.Join(own.Dir, ".git/reftable/tables.list.lock")
	id := object.ID(own.Git("rev-parse", "HEAD"))
	own.Write(".git/reftable/tables.list.lock", "")
	var busy *refs.BusyError
	if err := openAt(t, own).Refs.Update(t.Context(), refs.Update{Ref: "refs/resume/x", New: id}); !errors.As(err, &busy) {
		t.Errorf("got %v", err)
	}
	gittest.Equal(t, "lock of another", exists(lock), true)
	gittest.NoError(t, "remove", os.Remove(lock))
	w := startWriter(t, own, "ref", "start\ncreate "+lockedRef+" "+string(id)+"\nprepare\n", lock)
	w.kill(w.cmd.Process.Pid, w.child())
	mustWriteInChild(t, own)
	gittest.Equal(t, "locks moved aside", len(asideLocks(own)), 1)
}

// TestUpdateRef_oneWinner lets several writers move a ref from the same value at once. Exactly one must succeed.
func TestUpdateRef_oneWinner(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	old := object.ID(own.Git("rev-parse", "HEAD"))
	const ref, writers = "refs/resume/race", 6
	own.Git("update-ref", ref, string(old))
	errs := make(chan error, writers)
	for i := range writers {
		r := openAt(t, own)
		h, err := r.Settings.Hasher(t.Context())
		gittest.NoError(t, "Hasher", err)
		p := object.NewPending(h)
		id := commitOf(p, fmt.Sprint("racer ", i), 1)
		gittest.NoError(t, "WriteObjects", r.Objects.Write(t.Context(), p))
		go func() { errs <- r.Refs.Update(t.Context(), refs.Update{Ref: ref, New: id, Old: old}) }()
	}
	won := 0
	for range writers {
		err := <-errs
		var stale *refs.StaleError
		var busy *refs.BusyError
		switch {
		case err == nil:
			won++
		case errors.As(err, &stale):
			if stale.Ref != ref || stale.Wanted != old || stale.Found == old {
				t.Errorf("lost race: %v", stale)
			}
		case !errors.As(err, &busy):
			t.Errorf("neither won nor lost: %v", err)
		}
	}
	gittest.Equal(t, "winners", won, 1)
}

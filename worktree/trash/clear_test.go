package trash

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/worktree/place"
	"github.com/git-resume/git-resume/worktree/treetest"
)

// busyTree makes a worktree with a changed, an untracked and two ignored files.
func busyTree(t testing.TB) (f, tree *fixture) {
	f, tree = newStagedRepo(t)
	tree.Write(".gitignore", "*.o\n")
	tree.Write("tracked", "first\n")
	tree.Git("add", ".")
	tree.Git("commit", "-qm", "files")
	tree.Write("tracked", "second\n")
	tree.Write("new/untracked", "untracked\n")
	tree.Write("old.o", "object\n")
	tree.Write("other.o", "object\n")
	return f, tree
}

func TestDiscard_deletesOnlyWhatItSaved(t *testing.T) {
	f, tree := busyTree(t)
	req := f.dropRequest(tree)
	var moved string
	req.Record = func(_ context.Context, d Discarded) error { // at this point everything is saved, but no file is deleted
		moved = d.Remains
		for name, text := range map[string]string{
			"tracked": "third\n", "new/untracked": "UNTRACKED\n", "new/later": "later\n", "other.o": "object, longer\n", "later.o": "later\n",
		} {
			f.at(moved).Write(name, text)
		}
		return nil
	}
	d, err := Discard(t.Context(), f.Open(), req)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"later.o", "new/later", "new/untracked", "other.o", "tracked"}
	if d.Remains != moved || !slices.Equal(d.Rest, want) || d.RestCount != len(want) {
		t.Errorf("remains %q, rest %v (%d); want %q, %v", d.Remains, d.Rest, d.RestCount, moved, want)
	}
	left := treetest.Dump(t, moved)
	for name, text := range map[string]string{"tracked": "third\n", "new/untracked": "UNTRACKED\n", "other.o": "object, longer\n"} {
		if got := place.Content(filepath.Join(moved, name)) + "\n"; got != text {
			t.Errorf("%s is %q", name, got)
		}
	}
	if treetest.Exists(filepath.Join(moved, "old.o")) || !treetest.Exists(filepath.Join(moved, ".git")) || treetest.Exists(asideOf(moved)) {
		t.Errorf("left: %v", left)
	}
	// A second Discard must change nothing. Undo must bring back the files that were not deleted, with their newer content.
	if again := f.discard(tree); !again.Already || !slices.Equal(again.Rest, want) {
		t.Errorf("again: %+v", again)
	}
	f.gc()
	if u := f.undo(); u.Remains != "" {
		t.Errorf("remains %q", u.Remains)
	}
	for name, text := range map[string]string{"tracked": "third", "new/untracked": "UNTRACKED", "new/later": "later", "later.o": "later", "other.o": "object, longer"} {
		if got := place.Content(tree.Path(name)); got != text {
			t.Errorf("%s is %q after the undo", name, got)
		}
	}
	if treetest.Exists(moved) {
		t.Errorf("%s is still there", moved)
	}
}

func TestDiscard_deletesOnlyIgnoredFilesThatWereShown(t *testing.T) {
	f, tree := busyTree(t)
	req := f.dropRequest(tree)
	shown, err := PreviewDiscard(t.Context(), f.Open(), req, "main")
	if err != nil {
		t.Fatal(err)
	}
	tree.Write("later.o", "nobody saw it\n")
	req.Shown = &shown
	d, err := Discard(t.Context(), f.Open(), req)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.Rest, []string{"later.o"}) {
		t.Errorf("rest %v", d.Rest)
	}
}

func TestDiscard_finishesTheDeletionOfAKilledOne(t *testing.T) {
	f, tree := busyTree(t)
	req := f.dropRequest(tree)
	var moved string
	req.Record = func(_ context.Context, d Discarded) error {
		moved = d.Remains
		// Create the state after a kill: a file was moved aside, but not yet compared with its saved copy.
		f.at(asideOf(moved)).Write("new/untracked", "written since\n")
		if err := os.Remove(filepath.Join(moved, "new", "untracked")); err != nil {
			return err
		}
		return os.MkdirAll(filepath.Join(asideOf(moved), "empty"), 0o700)
	}
	d, err := Discard(t.Context(), f.Open(), req)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.Rest, []string{"new/untracked"}) || treetest.Exists(asideOf(moved)) {
		t.Errorf("rest %v", d.Rest)
	}
}

// TestDiscard_besideAWriter lets a process write into the worktree, with relative names, until the discard is complete. Afterwards every
// file that it has written must be in the snapshots or on disk.
func TestDiscard_besideAWriter(t *testing.T) {
	for round := range 3 {
		f, tree := busyTree(t)
		root, err := os.OpenRoot(tree.Dir) // an os.Root follows the renamed folder, as the current directory of a process does
		if err != nil {
			t.Fatal(err)
		}
		stop, written := make(chan bool), make(chan []string)
		go func() {
			var names []string
			for n := 0; ; n++ {
				select {
				case <-stop:
					written <- names
					return
				default:
				}
				name := "w" + strconv.Itoa(n)
				if root.WriteFile(name, []byte(name), 0o666) == nil {
					names = append(names, name)
				}
				time.Sleep(time.Millisecond)
			}
		}()
		d, err := Discard(t.Context(), f.Open(), f.dropRequest(tree))
		close(stop)
		names := <-written
		_ = root.Close()
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		saved := f.Git("ls-tree", "-r", "--name-only", "--full-tree", string(d.Ref))
		lost := 0
		for _, name := range names {
			if !slices.ContainsFunc(splitLines(saved), func(path string) bool { return filepath.Base(path) == name }) && !treetest.Exists(filepath.Join(d.Remains, name)) {
				lost++
			}
		}
		if lost > 0 || len(names) == 0 {
			t.Errorf("round %d: %d of %d files are neither saved nor on disk", round, lost, len(names))
		}
	}
}

func splitLines(text string) []string { return strings.Split(text, "\n") }

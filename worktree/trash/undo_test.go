package trash

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-resume/git-resume/worktree/place"
	"github.com/git-resume/git-resume/worktree/treetest"
)

// If a link has replaced the parent folder of the worktree, Undo must not follow the link.
func TestUndo_throughNoLinkInTheRepository(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	req := f.request()
	req.Path = f.Path(".worktrees/" + treetest.Job)
	tree := f.at(f.create(req).Tree.Path)
	tree.Write("mine", "work")
	f.discard(tree)
	outside := f.Beside("outside")
	for _, dir := range []string{outside, filepath.Join(outside, "kept")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(f.Path(".worktrees")); err != nil {
		t.Fatal(err)
	}
	f.Link("../outside", ".worktrees")
	var link *place.LinkError
	if _, err := Undo(t.Context(), f.Open(), UndoRequest{Run: treetest.Job, Now: treetest.Clock}); !errors.As(err, &link) {
		t.Errorf("got %v", err)
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) != 1 {
		t.Errorf("outside has %v, %v", left, err)
	}
	if err := os.Remove(f.Path(".worktrees")); err != nil {
		t.Fatal(err)
	}
	f.undo()
	if got, err := os.ReadFile(tree.Path("mine")); err != nil || string(got) != "work" {
		t.Errorf("after the link is gone: %q, %v", got, err)
	}
}

package trash

import (
	"testing"

	"github.com/git-resume/git-resume/worktree/record"
	"github.com/git-resume/git-resume/worktree/treetest"
)

func TestLoadRecord_damageIsAnError(t *testing.T) {
	t.Parallel()
	f, tree := newStagedRepo(t)
	f.discard(tree)
	f.Write(".git/resume/trash/"+treetest.Job+".kept/"+record.File, `{"v":1,"ph`)
	if _, err := Undo(t.Context(), f.Open(), UndoRequest{Run: treetest.Job, Now: treetest.Clock}); err == nil {
		t.Error("a damaged record was believed")
	}
}

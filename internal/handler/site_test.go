package handler

import (
	"path/filepath"
	"testing"

	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/gittest"
)

// Taking a snapshot of another worktree does not change the repository with which the engine works.
func TestSite_staysWhereTheUserStands(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Git("branch", "topic")
	r.Git("worktree", "add", "-q", "../w", "topic")
	r.Write("job", "refs/heads/topic\na active\n")
	e := foreignEngine(t, r)
	r.In(filepath.Join(filepath.Dir(r.Dir), "w")).Write("half", "done\n")
	stood := e.Repo
	a, err := e.Judge.Assess(t.Context(), "list:job-1", assess.AndSave)
	if err != nil || a.Snapshot.ID == "" {
		t.Fatalf("%v, saved as %q", err, a.Snapshot.ID)
	}
	if e.Repo != stood {
		t.Errorf("it stands in %s now", e.Repo.WorkTree)
	}
}

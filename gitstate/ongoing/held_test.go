package ongoing

import (
	"testing"

	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/internal/gittest"
)

func TestHeld_isTheBranchOfARebase(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("a", "1")
	r.Git("add", "a")
	r.Git("commit", "-q", "-m", "a")
	r.Git("checkout", "-q", "-b", "topic", "HEAD~1")
	r.Write("a", "2")
	r.Git("add", "a")
	r.Git("commit", "-q", "-m", "b")
	repo := repotest.Open(t, r.Dir, r.Env)
	if held := HeldBranch(repo.Place); held != "" {
		t.Errorf("nothing is under way, and %q is held", held)
	}
	r.Try("git", "rebase", "main")
	if held := HeldBranch(repo.Place); held != "refs/heads/topic" {
		t.Errorf("held is %q", held)
	}
}

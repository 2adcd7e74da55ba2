package clone

import (
	"os"
	"testing"

	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/internal/gittest"
)

func TestClone_isTheSameAfterAMoveAndAnotherAfterACopy(t *testing.T) {
	t.Parallel()
	j := gittest.New(t)
	repo := repotest.Open(t, j.Dir, j.Env)
	first, err := Ensure(repo, "0123456789")
	if err != nil || first != "0123456789" {
		t.Fatal(first, err)
	}
	if again, err := Ensure(repo, "9876543210"); err != nil || again != first {
		t.Errorf("it got a second name: %s %v", again, err)
	}
	moved := j.Dir + "-moved"
	if err := os.Rename(j.Dir, moved); err != nil {
		t.Fatal(err)
	}
	if got := ID(repotest.Open(t, moved, j.Env)); got != first {
		t.Errorf("after a move: %q", got)
	}
	if err := os.CopyFS(moved+"-copy", os.DirFS(moved)); err != nil {
		t.Fatal(err)
	}
	if got := ID(repotest.Open(t, moved+"-copy", j.Env)); got == first {
		t.Error("a copy has the name of the original")
	}
}

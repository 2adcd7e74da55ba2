package checkpoint

import (
	"os"
	"testing"
)

func TestClone_isTheSameAfterAMoveAndAnotherAfterACopy(t *testing.T) {
	t.Parallel()
	j := newJournal(t, "t")
	first, err := EnsureClone(j.s.Repo, "0123456789")
	if err != nil || first != "0123456789" {
		t.Fatal(first, err)
	}
	if again, err := EnsureClone(j.s.Repo, "9876543210"); err != nil || again != first {
		t.Errorf("it got a second name: %s %v", again, err)
	}
	moved := j.Dir + "-moved"
	if err := os.Rename(j.Dir, moved); err != nil {
		t.Fatal(err)
	}
	if got := CloneID(storeAt(t, moved, j.Env, "n").Repo); got != first {
		t.Errorf("after a move: %q", got)
	}
	if err := os.CopyFS(moved+"-copy", os.DirFS(moved)); err != nil {
		t.Fatal(err)
	}
	if got := CloneID(storeAt(t, moved+"-copy", j.Env, "n").Repo); got == first {
		t.Error("a copy has the name of the original")
	}
}

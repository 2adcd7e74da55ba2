package bench

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

func TestMeasure_snapshots(t *testing.T) {
	needClock(t)
	r := gittest.New(t)
	resume(r, "start", "--here", "--name", "job", "--task", "a")
	for i := range 200 {
		r.Write("README", fmt.Sprintf("state %d\n", i))
		resume(r, "checkpoint")
		r.Git("stash", "store", "-m", fmt.Sprintf("state %d", i), r.Git("stash", "create"))
	}
	contest{
		what: "snapshots, 200 / git stash list of 200", rounds: 15, budget: 3,
		ours: func() { resume(r, "snapshots") },
		gits: func() { r.Git("stash", "list") },
	}.run(t)
}

func TestMeasure_restore(t *testing.T) {
	needClock(t)
	const n = 10_000
	ours, gits := manyFiles(t, n), manyFiles(t, n)
	resume(ours, "start", "--here", "--name", "job", "--task", "a")
	for _, r := range []*gittest.Repo{ours, gits} {
		for i := range n {
			r.Write(place(i), fmt.Sprintf("changed %d\n", i))
		}
	}
	resume(ours, "checkpoint")
	gits.Git("checkout", "-q", "-b", "changed")
	gits.Git("commit", "-q", "-a", "-m", "changed")
	round := 0
	copied := func(r *gittest.Repo) string { return filepath.Join(filepath.Dir(r.Dir), fmt.Sprintf("copy%d", round)) }
	contest{
		what: "restore, 10000 files / git checkout", rounds: 9, budget: 1.5,
		before: func(int) {
			ours.Git("reset", "-q", "--hard")
			gits.Git("checkout", "-q", "main")
		},
		ours: func() { resume(ours, "restore", "job@1", "--into-worktree") },
		gits: func() { gits.Git("checkout", "-q", "changed") },
	}.run(t)
	contest{
		what: "restore --to, 10000 files / git worktree add", rounds: 9,
		before: func(n int) { round = n },
		ours:   func() { resume(ours, "restore", "job@1", "--to", copied(ours)) },
		gits:   func() { gits.Git("worktree", "add", "-q", "--detach", copied(gits), "changed") },
	}.run(t)
}

package bench

import (
	"fmt"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

func TestMeasure_taskDone(t *testing.T) {
	needClock(t)
	for _, c := range []struct {
		files  int
		budget float64
	}{{5000, 2.5}, {10, 4}} {
		r := manyFiles(t, c.files)
		r.Git("worktree", "add", "-q", "-b", "by-hand", "../by-hand")
		hand := r.In(r.Dir + "/../by-hand")
		resume(r, "start", "--name", "bench")
		tree := staging(r)
		task := ""
		contest{
			what: fmt.Sprintf("task done, %d files / git add -A, commit", c.files), rounds: 25, budget: c.budget,
			before: func(round int) {
				task = fmt.Sprintf("t%d", round)
				resume(tree, "task", "start", "--add", task)
				for i := range 3 {
					text := fmt.Sprintf("changed in round %d\n", round)
					tree.Write(place(i*c.files/3), text)
					hand.Write(place(i*c.files/3), text+"by hand\n")
				}
			},
			ours: func() { resume(tree, "task", "done", task) },
			gits: func() {
				hand.Git("-c", "core.fsync=committed,reference", "add", "-A")
				hand.Git("-c", "core.fsync=committed,reference", "commit", "-q", "-m", task)
			},
		}.run(t)
	}
}

// staging returns the worktree of the only run of a repository.
func staging(r *gittest.Repo) *gittest.Repo {
	return r.In(r.Git("for-each-ref", "--format=%(worktreepath)", "refs/heads/resume/"))
}

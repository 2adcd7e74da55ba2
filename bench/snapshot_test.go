package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// TestMeasure_snapshot compares the time of a snapshot with that of "git stash create", which does less: it does not save untracked files.
func TestMeasure_snapshot(t *testing.T) {
	needClock(t)
	for _, c := range []struct {
		files  int
		budget float64
	}{{10_000, 1.3}, {100_000, 1.0}} {
		r := manyFiles(t, c.files)
		at, err := locate.Find(r.Dir, r.Env)
		if err != nil {
			t.Fatal(err)
		}
		contest{
			what: fmt.Sprintf("snapshot, %d files / git stash create", c.files), rounds: 9, budget: c.budget,
			before: func(round int) {
				for i := range 10 {
					r.Write(place(100*i+1), fmt.Sprintf("modified in round %d\n", round))
					r.Write(place(100*i)+"-new", fmt.Sprintf("untracked in round %d\n", round))
				}
			},
			ours: func() {
				repo := gitstate.Open(at, r.Env)
				defer repo.Close()
				request := snapshot.Request{Run: "bench-a7f3", Now: time.Now}
				if _, err := snapshot.Take(t.Context(), repo, request); err != nil {
					t.Fatal(err)
				}
			},
			gits: func() { r.Git("stash", "create") },
		}.run(t)
	}
}

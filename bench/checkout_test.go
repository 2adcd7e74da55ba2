package bench

import (
	"fmt"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// A checkout with the hook in place against one without, in a repository of 5,000 files whose two branches differ
// in as many files as the name of the measurement says. The runs lie on branches of their own, as they do in life:
// the hook must look at them and say nothing.
func TestMeasure_checkout(t *testing.T) {
	needClock(t)
	for _, differ := range []int{500, 5000} {
		for _, m := range []struct {
			open   int
			budget float64
		}{{0, 1.08}, {3, 1.25}} {
			with, without := twoBranches(t, differ, m.open), twoBranches(t, differ, m.open)
			with.WithBinary()
			with.MustResume("hooks", "install")
			round := 0
			contest{
				what:   fmt.Sprintf("checkout, %d of 5,000 files differ, hook and %d open runs", differ, m.open),
				rounds: 21, budget: m.budget,
				before: func(n int) { round = n },
				ours:   func() { other(with, round) },
				gits:   func() { other(without, round) },
			}.run(t)
		}
	}
}

// twoBranches has 5,000 files, some of which differ between its two branches, and open runs that nobody works on.
func twoBranches(t *testing.T, differ, open int) *gittest.Repo {
	t.Helper()
	r := manyFiles(t, 5000)
	r.Git("checkout", "-q", "-b", "topic")
	for i := range differ {
		r.Write(place(i*5000/differ), fmt.Sprintf("other %d\n", i))
	}
	r.Git("commit", "-q", "-a", "-m", "topic")
	r.Git("checkout", "-q", "main")
	for i := range open {
		r.MustResume("start", "--name", fmt.Sprintf("job%d", i), "--task", "a", "--task", "b")
	}
	return r
}

// other checks out the branch that is not there.
func other(r *gittest.Repo, round int) {
	r.T.Helper()
	r.Git("checkout", "-q", [2]string{"topic", "main"}[round%2])
}

package bench

import (
	"fmt"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// A checkout with the hook in place against one without, in turns in the same repository of 5,000 files,
// of which 500 differ between its two branches. The open runs lie on branches of their own, as they mostly do:
// the hook must look at each, and say nothing.
func TestMeasure_checkout(t *testing.T) {
	needClock(t)
	for _, m := range []struct {
		open   int
		budget float64
	}{{0, 1.08}, {3, 1.25}} {
		r := twoBranches(t, 5000, 500).WithBinary()
		for i := range m.open {
			r.MustResume("start", "--name", fmt.Sprintf("job%d", i), "--task", "a", "--task", "b")
		}
		r.MustResume("hooks", "install")
		next := 0
		other := func(flags ...string) func() {
			return func() {
				next = 1 - next
				r.Git(append(flags, "checkout", "-q", [2]string{"main", "topic"}[next])...)
			}
		}
		contest{
			what:   fmt.Sprintf("checkout, 500 of 5,000 files differ, hook and %d open runs", m.open),
			rounds: 31, budget: m.budget, ours: other(), gits: other("-c", "core.hooksPath=/dev/null"),
		}.run(t)
	}
}

// twoBranches has n files, some of which differ between main and topic.
func twoBranches(t *testing.T, n, differ int) *gittest.Repo {
	t.Helper()
	r := manyFiles(t, n)
	r.Git("checkout", "-q", "-b", "topic")
	for i := range differ {
		r.Write(place(i*n/differ), fmt.Sprintf("other %d\n", i))
	}
	r.Git("commit", "-q", "-a", "-m", "topic")
	r.Git("checkout", "-q", "main")
	return r
}

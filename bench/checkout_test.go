package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

func TestMeasure_checkout(t *testing.T) {
	needClock(t)
	idle := t.TempDir()
	if err := gittest.WriteProgram(filepath.Join(idle, "post-checkout"), []byte("#!/bin/sh\nexit 0\n")); err != nil {
		t.Fatal(err)
	}
	for _, open := range []int{0, 3} {
		r := twoBranches(t, 5000, 500).WithBinary()
		for i := range open {
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
		hooks := func(dir string) func() { return other("-c", "core.hooksPath="+dir) }
		switch open {
		case 0:
			// The first comparison is with git without a hook. It has no limit, because every hook makes git start a shell. The second
			// comparison is with a hook that does nothing, and has a limit.
			contest{what: "checkout, hook and nothing open / no hook", rounds: 61, ours: other(), gits: hooks(os.DevNull)}.run(t)
			contest{what: "checkout, hook and nothing open / a hook that does nothing", rounds: 61, budget: 1.08, ours: other(), gits: hooks(idle)}.run(t)
		default:
			contest{what: fmt.Sprintf("checkout, hook and %d open runs / no hook", open), rounds: 61, budget: 1.25, ours: other(), gits: hooks(os.DevNull)}.run(t)
		}
	}
}

// twoBranches makes a repository with n files, some of which differ between the branches main and topic.
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

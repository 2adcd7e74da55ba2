package prove

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

// The user commits while the program makes a commit on the same branch. The user's commit must stay on the branch.
func TestSwap_keepsACommitThatCameMeanwhile(t *testing.T) {
	t.Parallel()
	r := active(gittest.New(t))
	r.Write(".git/hooks/pre-commit", "#!/bin/sh\nmv .git/hooks/pre-commit .git/hooks/done\ngit commit -q --allow-empty --only -m theirs\n")
	if err := os.Chmod(filepath.Join(r.Dir, ".git/hooks/pre-commit"), 0o755); err != nil {
		t.Fatal(err)
	}
	out, code := r.Resume("task", "done", "a", "README", "new")
	if got := r.Git("log", "--format=%s"); !strings.Contains(got, "theirs") {
		t.Fatalf("their commit is gone from the branch (exit code %d)\n%s\n%s", code, got, out)
	}
	if code != 0 {
		r.MustResume("task", "done", "a", "README", "new")
	}
	if err := committed("a")(readFacts(r)); err != nil {
		t.Error(err)
	}
}

func TestLock_ofALivingOwnerDoesNotAge(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	put(r, planFile(r), "name: job\ntasks:\n  - id: a\n    on_interrupt: retry\n"+
		"    run: echo ran >> \"$HOME/ran\"; for i in $(seq 600); do test -e \"$HOME/go\" && break; sleep 0.1; done\n")
	ended := make(chan int, 1)
	go func() {
		_, code := r.Resume("start", planFile(r))
		ended <- code
	}()
	ran := func() int {
		text, _ := os.ReadFile(filepath.Join(side(r), "ran"))
		return strings.Count(string(text), "ran")
	}
	for begun := time.Now(); ran() == 0; time.Sleep(10 * time.Millisecond) {
		if time.Since(begun) > time.Minute {
			t.Fatal("the task does not begin")
		}
	}
	long := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	walk(t, filepath.Join(r.Dir, ".git", "resume"), func(path string, _ os.FileInfo) {
		if err := os.Chtimes(path, long, long); err != nil {
			t.Error(err)
		}
	})
	for _, args := range [][]string{{"--yes", "--retry", job1}, {"--auto"}} {
		if out, code := r.Resume(args...); code != 13 {
			t.Errorf("%v beside a living owner: exit code %d\n%s", args, code, out)
		}
	}
	put(r, filepath.Join(side(r), "go"), "")
	if code := <-ended; code != 0 {
		t.Errorf("the owner ended with exit code %d", code)
	}
	if ran() != 1 {
		t.Errorf("the task ran %d times", ran())
	}
}

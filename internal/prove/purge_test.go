package prove

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// purging is the scenario of a purge. After a purge no record may be left, so the checks of the other scenarios do not apply. checkPurged
// replaces them.
func purging() scenario {
	return scenario{name: "purge", prepare: func(r *gittest.Repo) *gittest.Repo {
		runWithChanges(r)
		r.MustResume("start", "--name", "second", "--task", "a")
		r.MustResume("discard", "--yes", "second")
		r.MustResume("hooks", "install")
		r.Git("worktree", "add", "-q", "-b", "own", filepath.Join(side(r), "own"))
		return r
	}, args: []string{"doctor", "--purge", "--yes", "--force"}}
}

// TestKill_purge kills a purge at system calls that are spread over the whole command. The repeated command must then finish the purge.
func TestKill_purge(t *testing.T) {
	t.Parallel()
	needTracer(t)
	g := purging().ground(t, gittest.New)
	r := g.reset(t)
	whole := trace(t, resumeJob(r, g.s.args...))
	if whole.Exit != 0 {
		t.Fatalf("undisturbed: exit code %d\n%s", whole.Exit, whole.Output)
	}
	if err := checkPurged(r, g.before); err != nil {
		t.Fatalf("undisturbed: %v", err)
	}
	points := 6
	if gittest.Proving() {
		points = whole.Calls
	}
	for i := range points {
		at := traceJob{N: gittest.Point(i, points, whole.Calls), All: i%2 == 0}
		if n := gittest.Call(t); n > 0 {
			at.N = n
		}
		g.killPurge(t, at)
	}
}

// killPurge kills a purge at one system call, repeats it, and checks the result.
func (g *ground) killPurge(t *testing.T, at traceJob) {
	t.Helper()
	r := g.reset(t)
	j := resumeJob(r, g.s.args...)
	j.N, j.All = at.N, at.All
	out := trace(t, j)
	said, code := r.Resume("status")
	if code != 0 {
		t.Errorf("killed at %s (call %d, all: %v): status: exit code %d\n%s", out.At, at.N, at.All, code, said)
	}
	if said, code = r.Resume(g.s.args...); code != 0 {
		t.Errorf("killed at %s (call %d, all: %v): repeated: exit code %d\n%s", out.At, at.N, at.All, code, said)
		return
	}
	if err := checkPurged(r, g.before); err != nil {
		t.Errorf("killed at %s (call %d, all: %v): %v\n%s", out.At, at.N, at.All, err, said)
	}
}

// checkPurged checks that a purge has removed what belongs to git-resume, and that the user's own files, branches and worktrees are
// unchanged.
func checkPurged(r *gittest.Repo, before witness) error {
	if _, err := os.Lstat(filepath.Join(r.Dir, ".git", "resume")); err == nil {
		return fmt.Errorf(".git/resume is still there")
	}
	if left := r.Git("for-each-ref", "--format=%(refname)"); left != "refs/heads/main\nrefs/heads/own" {
		return fmt.Errorf("these refs are left: %s", left)
	}
	if trees, _ := filepath.Glob(filepath.Join(r.Dir+".worktrees", "*")); len(trees) > 0 {
		return fmt.Errorf("these folders are left: %q", trees)
	}
	hidden, _ := filepath.Glob(filepath.Join(r.Dir+".worktrees", ".*"))
	if len(hidden) > 0 {
		return fmt.Errorf("these folders are left: %q", hidden)
	}
	if n := strings.Count(r.Git("worktree", "list", "--porcelain"), "worktree "); n != 2 {
		return fmt.Errorf("%d worktrees are registered, want 2", n)
	}
	if _, err := os.Lstat(filepath.Join(r.Dir, ".git", "hooks", "post-checkout")); err == nil {
		return fmt.Errorf("the hook is still there")
	}
	if err := same(before.files, files(r)); err != nil {
		return fmt.Errorf("the user's files: %w", err)
	}
	own := filepath.Join(side(r), "own")
	if err := same(before.trees[own], files(r.In(own))); err != nil {
		return fmt.Errorf("the user's worktree: %w", err)
	}
	r.Fsck()
	said, code := r.Resume("doctor", "--purge")
	if code != 0 || !strings.Contains(said, "There is nothing of git-resume to remove") {
		return fmt.Errorf("after it: exit code %d\n%s", code, said)
	}
	return nil
}

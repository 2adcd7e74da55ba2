package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/gittest"
)

func TestStart_insideWhereTheParentIsNotWritable(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("modes mean something else here")
	}
	r := gittest.New(t)
	asNobody(t, r)
	parent := filepath.Dir(r.Dir)
	if err := os.Chmod(parent, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(parent, 0o755) })
	out, code := r.Try("git-resume", "start", "--name", "job", "--task", "a")
	if code != exit.Done || !strings.Contains(out, "warning: the worktree is inside the repository") {
		t.Fatalf("start: exit code %d\n%s", code, out)
	}
	if out, _ := r.Try("git", "-c", "safe.directory=*", "status", "--porcelain"); strings.TrimSpace(out) != "" {
		t.Errorf("git sees the worktree inside:\n%s", out)
	}
	if out, code := r.Try("git-resume", "--discard", "job", "--yes"); code != exit.Done {
		t.Errorf("discard: exit code %d\n%s", code, out)
	}
	if left, _ := filepath.Glob(filepath.Join(r.Dir, ".git-resume-worktrees", "job-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

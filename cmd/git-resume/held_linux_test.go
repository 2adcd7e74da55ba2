package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// A mount point on Linux can be neither removed nor replaced, like a file on Windows that another program holds open.
func TestHeldOpen_losesNothing(t *testing.T) {
	t.Parallel()
	r := gittest.New(t).WithBinary()
	r.Write("../home/plan.yaml", "name: job\ntasks:\n  - {id: a, run: 'echo half > half; echo a > z; false'}\n")
	r.Resume("start", "../home/plan.yaml")
	trees, _ := filepath.Glob(r.Dir + ".worktrees/job-*")
	if len(trees) != 1 {
		t.Fatalf("worktrees: %q", trees)
	}
	tree := r.In(trees[0])
	if out, code := held(tree, "true"); code != 0 {
		t.Skipf("no mount of our own can be made here: %s", out)
	}
	tree.Write("half", "later\n")
	tree.Write("z", "later\n")

	if out, code := held(tree, "git resume restore job@1 --into-worktree"); code != 1 || !strings.Contains(out, "write 'half': ") {
		t.Errorf("a restore: exit code %d\n%s", code, out)
	}
	gittest.Equal(t, "the held file", tree.Read("half"), "later\n")
	r.MustResume("restore", "job@2", "--to", "../saved")
	gittest.Equal(t, "z in the snapshot", r.Read("../saved/z"), "later\n")
	r.MustResume("restore", "job@1", "--into-worktree")
	gittest.Equal(t, "the restored file", tree.Read("half"), "half\n")

	if out, code := held(tree, "cd / && git -C '"+r.Dir+"' resume --discard job --yes"); code != 1 || !strings.Contains(out, "busy") {
		t.Errorf("a discard: exit code %d\n%s", code, out)
	}
	r.MustResume("--discard", "job", "--yes")
	r.MustResume("undo", "--yes")
	gittest.Equal(t, "the file after the undo", tree.Read("half")+tree.Read("z"), "half\na\n")
	r.MustResume("doctor", "--fix")
	if left, _ := filepath.Glob(r.Dir + ".worktrees/.trash-*"); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// held runs a shell command in an environment in which the file "half" can be neither removed nor replaced.
func held(r *gittest.Repo, command string) (string, int) {
	return r.Try("unshare", "-m", "sh", "-c", "mount --bind half half && "+command)
}

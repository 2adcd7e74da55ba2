package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// A mount point on Linux can be neither removed nor replaced, like a file on Windows that another program holds open. A restore and a
// discard must then fail without losing any work.
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

// held runs a shell command in a mount namespace in which the worktree's file "half" is a mount point. So the command can neither remove
// nor replace this file.
func held(r *gittest.Repo, command string) (string, int) {
	return r.Try("unshare", "-m", "sh", "-c", "mount --bind half half && "+command)
}

// Without /proc, no process can be seen, as on Windows and macOS. A discard must still delete the worktree's files, which it has saved.
// While the file gc.pid says that a gc is running, these files stay in the trash.
func TestUnseen_discardLeavesNothing(t *testing.T) {
	t.Parallel()
	r := gittest.New(t).WithBinary()
	unseen := func(command string) {
		t.Helper()
		if out, code := r.Try("unshare", "-m", "sh", "-c", "mount -t tmpfs tmpfs /proc && "+command); code != 0 {
			t.Fatalf("%s: exit code %d\n%s", command, code, out)
		}
	}
	if out, code := r.Try("unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/proc"); code != 0 {
		t.Skipf("no mount of our own can be made here: %s", out)
	}
	trash := func() []string {
		found, _ := filepath.Glob(r.Dir + ".worktrees/.trash-*")
		return found
	}
	r.MustResume("start", "--name", "job", "--task", "a")
	trees, _ := filepath.Glob(r.Dir + ".worktrees/job-*")
	tree := r.In(trees[0])
	tree.Write("own", "not committed\n")

	r.Write(".git/gc.pid", "4711 another-machine")
	unseen("git resume --discard job --yes")
	if len(trash()) != 1 {
		t.Errorf("while a gc is at work, the files of the worktree are in %q", trash())
	}
	unseen("rm .git/gc.pid; git resume start --name other --task a")
	if len(trash()) != 0 {
		t.Errorf("left behind: %q", trash())
	}
	unseen("git gc -q --prune=now; git resume undo --yes")
	gittest.Equal(t, "the file after the undo", tree.Read("own"), "not committed\n")
	unseen("git resume --discard job --yes")
	if len(trash()) != 0 {
		t.Errorf("left behind by a second discard: %q", trash())
	}
}

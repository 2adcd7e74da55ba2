package resume_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTaskRun_aGitThatOutlivesItsOwner: a task's line was killed, and the git that it had started brings the commit in
// only after the next line has looked. The task is done then, and does not run on top of its own result.
func TestTaskRun_aGitThatOutlivesItsOwner(t *testing.T) {
	t.Parallel()
	u := start(t, "a")
	u.MustResume("start", "--name", "job", "--task", "t")
	found, _ := filepath.Glob(u.Dir + ".worktrees/job-*")
	if len(found) != 1 {
		t.Fatalf("worktrees: %v", found)
	}
	tree := u.In(found[0])
	line := []string{"task", "run", "t", "--retry", "--", "sh", "-c", "echo x >> f; test -e ../go || kill -9 $PPID $$"}
	if out, code := tree.Resume(line...); code != -1 {
		t.Fatalf("the line was not killed: %d %s", code, out)
	}
	// The commit as the killed line would have made it; the files are committed in the same moment as the branch moves.
	run := strings.TrimPrefix(tree.Git("symbolic-ref", "--short", "HEAD"), "resume/")
	tree.Git("add", "-A")
	late := tree.Git("commit-tree", tree.Git("write-tree"), "-p", "HEAD", "-m", "t\n\nResume-Run: "+run+"\nResume-Task: t")
	tree.Write("../go", "")
	flag := filepath.Join(u.Root(), "once")
	tree.Write("../../once", "")
	tree.Fronted("case \" $* \" in *\" status \"*) if rm '" + flag + "' 2>/dev/null; then git update-ref HEAD " + late + "; fi ;; esac").MustResume(line...)
	if _, err := os.Stat(flag); err == nil {
		t.Fatal("the late git was never there")
	}
	if got := tree.Git("show", "HEAD:f"); got != "x" {
		t.Errorf("the task ran on top of its own result: %q", got)
	}
}

package handler_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// TestLate_gitThatOutlivesItsOwner: git-resume is killed during a task, but its git process lives on.
// That process commits the task while the next git-resume examines the run. The task must count as done and must not run again.
func TestLate_gitThatOutlivesItsOwner(t *testing.T) {
	t.Parallel()
	const command = "echo x >> f; test -e ../go || kill -9 $PPID $$"
	line := []string{"task", "run", "t", "--retry", "--", "sh", "-c", command}
	for name, c := range map[string]struct{ begin, again []string }{
		"plan":   {[]string{"start", "../plan.yaml"}, []string{"job", "--retry", "--yes"}},
		"script": {line, line},
	} {
		for _, nth := range []int{1, 2, 3, 4, 5, 6, 7, 8} {
			if !gittest.Proving() && nth%3 != 0 {
				continue
			}
			t.Run(fmt.Sprint(name, " ", nth), func(t *testing.T) {
				t.Parallel()
				commitLate(t, command, nth, c.begin, c.again)
			})
		}
	}
}

// commitLate simulates the git process that outlives a killed git-resume. The commit of that process appears just before the
// nth "git status" of the next git-resume.
func commitLate(t *testing.T, command string, nth int, begin, again []string) {
	u := start(t, "a")
	u.Write("../plan.yaml", "name: job\ntasks:\n  - id: t\n    run: "+command+"\n")
	where := u.Repo
	if begin[0] == "task" {
		u.MustResume("start", "--name", "job", "--task", "t")
		where = u.In(staged(t, u))
	}
	if out, code := where.Resume(begin...); code != -1 {
		t.Fatalf("it was not killed: %d %s", code, out)
	}
	tree := u.In(staged(t, u))
	run := strings.TrimPrefix(tree.Git("symbolic-ref", "--short", "HEAD"), "resume/")
	tree.Git("add", "-A")
	commit := tree.Git("commit-tree", tree.Git("write-tree"), "-p", "HEAD", "-m", "t\n\nResume-Run: "+run+"\nResume-Task: t")
	tree.Write("../go", "")
	count := filepath.Join(u.Root(), "count")
	front := fmt.Sprintf("case \" $* \" in *\" status \"*) echo x >> '%s'; test $(wc -l < '%s') -ne %d || git -C '%s' update-ref -m 'commit: t' HEAD %s ;; esac", count, count, nth, tree.Dir, commit)
	if begin[0] == "task" {
		where = tree
	}
	where.Fronted(front).MustResume(again...)
	if got := tree.Git("show", "HEAD:f"); got != "x" {
		t.Errorf("the task ran on top of its own result: %q\n%s", got, u.MustResume("log", "job"))
	}
}

// staged returns the path of the worktree of the run "job".
func staged(t *testing.T, u *user) string {
	t.Helper()
	found, _ := filepath.Glob(u.Dir + ".worktrees/job-*")
	if len(found) != 1 {
		t.Fatalf("worktrees: %v", found)
	}
	return found[0]
}

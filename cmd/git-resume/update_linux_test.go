package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// halfPlan is a plan whose second task kills the program and itself in the middle, unless the file "go" exists.
const halfPlan = `name: job
tasks:
  - id: one
    run: echo 1 >> one.txt
  - id: two
    run: echo half >> two.txt; test -e ../../go || kill -9 $PPID $$; echo rest >> two.txt
`

// updateCase is one way to update a run with its base while a task is interrupted.
type updateCase struct {
	how, clash, doubt string
}

// The method "said" runs git-resume and makes the user's choice about the interrupted task, by a flag or by a key.
func (u updateCase) said(r *gittest.Repo, args ...string) (string, int) {
	r.T.Helper()
	if strings.HasPrefix(u.doubt, "--") {
		return r.Try("git-resume", append(append([]string{"job"}, args...), u.doubt, "--yes")...)
	}
	key := u.doubt
	if len(args) == 0 && u.means() != "keep" {
		key = "y" // after the conflict is resolved, nothing is left of the task's changes, so the program asks only whether to continue
	}
	return atKeys(r, key, append([]string{"job"}, args...)...)
}

// atKeys runs git-resume at a terminal and types these keys.
func atKeys(r *gittest.Repo, keys string, args ...string) (string, int) {
	r.T.Helper()
	return r.Try("terminal", append([]string{keys, "git-resume"}, args...)...)
}

// The method "means" returns the user's choice: retry, keep or done.
func (u updateCase) means() string {
	return map[string]string{"--retry": "retry", "f": "retry", "--keep": "keep", "k": "keep", "--mark-done": "done", "m": "done"}[u.doubt]
}

// want returns the expected content of the interrupted task's file.
func (u updateCase) want() string {
	text := map[string]string{"retry": "half\nrest\n", "keep": "half\nhalf\nrest\n", "done": "half\n"}[u.means()]
	if u.clash == "unfinished" {
		text = "theirs\n" + text
	}
	return text
}

func TestUpdate_withAnInterruptedTask(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"merge", "rebase"} {
		for _, clash := range []string{"none", "committed", "unfinished"} {
			for _, doubt := range []string{"--retry", "f", "--keep", "k", "--mark-done", "m"} {
				u := updateCase{how, clash, doubt}
				t.Run(fmt.Sprintf("%s/%s/%s", how, clash, doubt), func(t *testing.T) {
					t.Parallel()
					u.try(t)
				})
			}
		}
	}
}

func (u updateCase) try(t *testing.T) {
	r := gittest.New(t)
	top := filepath.Dir(r.Dir)
	r.Git("config", "resume.update", u.how)
	if err := os.WriteFile(filepath.Join(top, "p.yaml"), []byte(halfPlan), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, code := r.Try("git-resume", "start", "../p.yaml"); code == 0 {
		t.Fatalf("it was not killed\n%s", out)
	}
	if err := os.WriteFile(filepath.Join(top, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	file := map[string]string{"none": "other.txt", "committed": "one.txt", "unfinished": "two.txt"}[u.clash]
	r.Write(file, "theirs\n")
	r.Git("add", file)
	r.Git("commit", "-q", "-m", "theirs")
	trees, _ := filepath.Glob(r.Dir + ".worktrees/job-*")
	if len(trees) != 1 {
		t.Fatalf("worktrees: %q", trees)
	}
	tree := r.In(trees[0])
	out, code := u.said(r, "--update")
	if code == 12 {
		u.resolve(t, tree, out)
		out, code = u.said(r)
	} else if u.clash == "committed" {
		t.Errorf("there was no conflict: exit code %d\n%s", code, out)
	}
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	u.check(t, r, tree, out)
}

// resolve resolves a conflict as a user would: it keeps the lines of both sides and lets git continue.
func (u updateCase) resolve(t *testing.T, tree *gittest.Repo, out string) {
	if u.clash == "none" || u.clash == "unfinished" && u.means() == "retry" {
		t.Errorf("a conflict, where there is nothing to resolve\n%s", out)
	}
	for range 3 {
		if tree.Git("ls-files", "-u") == "" {
			break
		}
		switch u.clash {
		case "committed":
			tree.Write("one.txt", "theirs\n1\n")
		case "unfinished":
			tree.Write("two.txt", "theirs\nhalf\n")
		}
		tree.Git("add", "-A")
		tree.Try("git", "-c", "core.editor=true", u.how, "--continue")
	}
	if left := tree.Git("status", "--porcelain"); left != "" {
		t.Fatalf("not resolved:\n%s", left)
	}
}

func (u updateCase) check(t *testing.T, r, tree *gittest.Repo, out string) {
	if got := tree.Read("two.txt"); got != u.want() {
		t.Errorf("two.txt is %q, want %q\n%s", got, u.want(), out)
	}
	if u.clash == "committed" && tree.Read("one.txt") != "theirs\n1\n" {
		t.Errorf("one.txt is %q", tree.Read("one.txt"))
	}
	if left := tree.Git("status", "--porcelain"); left != "" {
		t.Errorf("uncommitted in the end:\n%s", left)
	}
	if log := tree.Git("log", "--format=%s%n%b", "main..HEAD"); strings.Contains(log, "unfinished work") || strings.Contains(log, "Resume-State") {
		t.Errorf("unfinished work is on the branch:\n%s", log)
	}
	if n := strings.Count(tree.Git("log", "--format=%B", "main..HEAD"), "Resume-Task: two"); n != 1 {
		t.Errorf("%d commits of task two", n)
	}
	if _, code := tree.Try("git", "merge-base", "--is-ancestor", "main", "HEAD"); code != 0 {
		t.Error("main was not taken in")
	}
	if status, _ := r.Try("git-resume", "status", "job"); !strings.Contains(status, "finished") {
		t.Errorf("it is not finished:\n%s", status)
	}
	saved := r.Git("for-each-ref", "--format=%(refname)", "refs/resume/snapshots/")
	if half := r.Git("show", saved+":0001/work/two.txt"); half != "half" {
		t.Errorf("the snapshot holds %q", half)
	}
	mustResume(t, r, "merge", "job")
	if got := r.Read("two.txt"); got != u.want() {
		t.Errorf("main has %q", got)
	}
	r.Fsck()
}

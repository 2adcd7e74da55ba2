package main

import (
	"strconv"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// The function "ours" counts the commits that no branch contains. Only refs of git-resume point to them.
func ours(r *gittest.Repo) int {
	r.T.Helper()
	n, err := strconv.Atoi(r.Git("rev-list", "--count", "--all", "--not", "--branches"))
	if err != nil {
		r.T.Fatal(err)
	}
	return n
}

// For each run, git-resume makes exactly one commit outside of the branches. Both the journal and the published notes point to it.
func TestCounts_aRunIsOneCommit(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("plan.yaml", "name: planned\ntasks:\n  - id: one\n    run: echo 1 >one.txt\n"+
		"  - id: two\n    run: echo half >>two.txt; test -e go || kill -9 $PPID $$; echo 2 >>two.txt\n  - id: three\n    run: echo 3 >three.txt\n")
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "plan")
	at := func(what string, runs int) {
		t.Helper()
		if got := ours(r); got != runs {
			t.Errorf("after %s: %d commits of ours, of %d runs", what, got, runs)
		}
	}
	if out, code := r.Try("git-resume", "start", "plan.yaml"); code == 0 || code == 1 {
		t.Fatalf("the plan was not killed: exit code %d\n%s", code, out)
	}
	at("a kill", 1)
	_, second, _ := strings.Cut(r.Git("worktree", "list", "--porcelain"), "\n\nworktree ")
	path, _, _ := strings.Cut(second, "\n")
	tree := r.In(path)
	says(tree, 0, nil, "checkpoint")
	at("a snapshot", 1)
	tree.Write("go", "go\n")
	says(tree, 0, nil, "checkpoint", "-m", "a second one")
	at("a second snapshot", 1)
	says(r, 0, nil, "discard", "-y", "planned")
	at("a discard", 1)
	says(r, 0, nil, "undo", "-y")
	at("its undo", 1)
	r.Write("other", "on main\n")
	r.Git("add", "other")
	r.Git("commit", "-q", "-m", "other")
	says(r, 0, nil, "planned", "--yes", "--update", "--mark-done")
	at("an update and the end", 1)
	says(r, 0, nil, "merge", "planned")
	at("a merge", 1)
	says(r, 0, nil, "start", "--here", "--name", "job", "--task", "a")
	at("a second run", 2)
	says(r, 0, nil, "finish", "job")
	at("a finish", 2)
	says(r, 0, nil, "undo", "-y")
	at("the undo of a finish", 2)
	r.Fsck()
}

// The function "says" runs git-resume and checks its exit code. It also checks that the output contains each of the given texts.
func says(r *gittest.Repo, code int, words []string, args ...string) string {
	r.T.Helper()
	out, got := r.Try("git-resume", args...)
	if got != code {
		r.T.Errorf("git-resume %q: exit code %d, want %d\n%s", args, got, code, out)
	}
	for _, w := range words {
		if !strings.Contains(out, w) {
			r.T.Errorf("git-resume %q does not say %q:\n%s", args, w, out)
		}
	}
	return out
}

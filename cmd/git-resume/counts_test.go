package main

import (
	"strconv"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// ours counts the commits that only refs of ours reach.
func ours(r *gittest.Repo) int {
	r.T.Helper()
	n, err := strconv.Atoi(r.Git("rev-list", "--count", "--all", "--not", "--branches"))
	if err != nil {
		r.T.Fatal(err)
	}
	return n
}

// TestCounts_anOpenRunIsOneCommit counts what 'git log --all' shows beside the commits of the branches:
// one for an open run, journal and notes together, and at most one more for each closing.
func TestCounts_anOpenRunIsOneCommit(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("plan.yaml", "name: planned\ntasks:\n  - id: one\n    run: echo 1 >one.txt\n  - id: two\n    run: test -e go && echo 2 >two.txt\n  - id: three\n    run: echo 3 >three.txt\n")
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "plan")
	closings := 0
	at := func(what string, open bool) {
		t.Helper()
		most := 1 + closings
		if got := ours(r); got > most || open && got < 1 || open && closings == 0 && got != 1 {
			t.Errorf("after %s: %d commits of ours, %d closings", what, got, closings)
		}
	}
	says(r, 1, nil, "start", "plan.yaml")
	at("a failed task", true)
	_, second, _ := strings.Cut(r.Git("worktree", "list", "--porcelain"), "\n\nworktree ")
	path, _, _ := strings.Cut(second, "\n")
	tree := r.In(path)
	tree.Write("go", "go\n")
	says(tree, 0, nil, "checkpoint")
	at("a checkpoint", true)
	tree.Write("more", "more\n")
	says(r, 0, nil, "discard", "-y", "planned")
	closings++
	at("a discard", false)
	says(r, 0, nil, "undo", "-y")
	at("its undo", true)
	r.Write("other", "on main\n")
	r.Git("add", "other")
	r.Git("commit", "-q", "-m", "other")
	says(r, 0, nil, "planned", "--yes", "--update", "--keep")
	closings++
	at("an update and the end", false)
	says(r, 0, nil, "merge", "planned")
	closings++
	at("a merge", false)
	says(r, 0, nil, "start", "--here", "--name", "job", "--task", "a")
	closings++ // a second run
	says(r, 0, nil, "finish", "job")
	at("a finish", false)
	says(r, 0, nil, "undo", "-y")
	closings++
	at("the undo of a finish", true)
	r.Fsck()
}

// says runs the program of today and wants a code and words.
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

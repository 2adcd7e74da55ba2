package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// The previous version does not know that parallel tasks have their own worktrees. It must change neither these worktrees nor the branch,
// and must lose no line of the journal.
func TestOlder_programHarmsNoPlaces(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	old := r.Older()
	r.Write("plan.yaml", `name: par
tasks:
  - id: a
    run: echo a >a.txt
    outputs: [a.txt]
  - id: b
    run: echo half >b.txt; test -e "$HOME/go"
    outputs: [b.txt]
  - id: c
    run: echo c >c.txt
    outputs: [c.txt]
  - id: d
    needs: [a, b, c]
    run: cat a.txt b.txt c.txt >d.txt
    outputs: [d.txt]
`)
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "plan")
	says(r, 1, nil, "start", "plan.yaml", "-j", "2", "--keep-going")
	before, trees := storedLines(r), r.Git("worktree", "list", "--porcelain")
	half, _ := filepath.Glob(filepath.Join(r.Root(), "repo.worktrees", "par-*", "b.txt"))
	if all := strings.Join(before, "\n"); !strings.Contains(all, `"event":"place.ready"`) || strings.Count(all, `"event":"task.done"`) != 2 || len(half) != 1 {
		t.Fatalf("no task has a place of its own, or no result: %v\n%s", half, all)
	}
	tip := r.Git("for-each-ref", "refs/heads/resume/")
	place := filepath.Dir(half[0])
	for _, c := range []struct {
		at   *gittest.Repo
		line string
	}{
		{old, "status"}, {old, "status --all"}, {old, "status par"}, {old, "log par"}, {old, "par --auto"}, {old, "par -n"}, {old, "doctor --fix"},
		{old.In(place), "status"}, {old.In(place), "task done b"}, {old.In(place), "checkpoint"}, {old.In(place), "doctor --fix"}, {old, "status"},
	} {
		out, code := c.at.Try("sh", "-c", "git-resume "+c.line)
		if strings.Contains(out, "goroutine ") || code < 0 {
			t.Errorf("the version before, %s: exit code %d\n%s", c.line, code, out)
		}
		lostNone(r, before)
		if text, err := os.ReadFile(half[0]); err != nil || string(text) != "half\n" {
			t.Fatalf("after %s of the version before, the unfinished file is %q, %v\n%s", c.line, text, err, out)
		}
		if now := r.Git("for-each-ref", "refs/heads/resume/"); now != tip {
			t.Errorf("after %s of the version before, the branch is %s, was %s\n%s", c.line, now, tip, out)
		}
		if now := r.Git("worktree", "list", "--porcelain"); now != trees {
			t.Errorf("after %s of the version before, the worktrees are\n%s\nwere\n%s\n%s", c.line, now, trees, out)
		}
	}
	// This version must continue where the run stopped. The journal lines of the previous version have no signature, so the user must take
	// over the run.
	r.Write("../home/go", "")
	out := says(r, 0, []string{"finished: 4 tasks"}, "par", "--yes", "-j", "2", "--takeover")
	if strings.Contains(out, "[1/4]") || strings.Contains(out, "[3/4]") {
		t.Errorf("a finished task was done again:\n%s", out)
	}
	lostNone(r, before)
	r.Fsck()
}

package main

import (
	"path/filepath"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// A finished merge can leave files such as SQUASH_MSG, which must not count as an operation in progress.
func TestStatus_startsNothingWhereNothingIs(t *testing.T) {
	t.Parallel()
	r := gittest.New(t).WithBinary()
	r.Git("worktree", "add", "-q", "-b", "topic", "../linked")
	r.Git("update-ref", "AUTO_MERGE", r.Git("rev-parse", "HEAD^{tree}"))
	r.Write(".git/SQUASH_MSG", "Squashed commit\n")
	program := filepath.Join(gittest.Binary(t), "git-resume")
	r, calls := r.Counting()
	for _, args := range [][]string{{"status"}, {"status", "--prompt"}, {"status", "--json"}, {"status", "--exit-code"}} {
		if out, code := r.Try(program, args...); code != 0 {
			t.Errorf("%v: exit code %d\n%s", args, code, out)
		}
		if started := calls(); len(started) > 0 {
			t.Fatalf("%v started git: %q", args, started)
		}
	}
}

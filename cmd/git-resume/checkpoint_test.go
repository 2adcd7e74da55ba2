package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// Several processes save the same worktree at once, each with texts of its own. Often the snapshot of one process already has the files of
// another one. No text may be lost then.
func TestCheckpoint_keepsEveryText(t *testing.T) {
	t.Parallel()
	const writers, texts = 8, 3
	for range 2 {
		r := gittest.New(t).WithBinary()
		says(r, 0, nil, "start", "--here", "--name", "job", "--task", "a")
		var all sync.WaitGroup
		for w := range writers {
			all.Go(func() {
				for n := range texts {
					name := fmt.Sprintf("note %d of writer %d", n, w)
					r.Write(fmt.Sprint("file", w), name)
					says(r, 0, []string{"job ("}, "checkpoint", "-m", name)
				}
			})
		}
		all.Wait()
		lines := strings.Join(storedLines(r), "\n")
		for w := range writers {
			for n := range texts {
				if got := strings.Count(lines, fmt.Sprintf(`"text":"note %d of writer %d"`, n, w)); got != 1 {
					t.Errorf("note %d of writer %d is in %d lines", n, w, got)
				}
			}
		}
		r.Fsck()
	}
}

// storedLines returns the lines of all journals.
func storedLines(r *gittest.Repo) []string {
	r.T.Helper()
	out, code := r.Try("sh", "-c", `for ref in $(git for-each-ref --format='%(refname)' refs/resume/journal); do
git ls-tree -r $ref | while read mode kind blob name; do git cat-file blob $blob; echo; done; done`)
	if code != 0 {
		r.T.Fatal(out)
	}
	lines := slices.DeleteFunc(strings.Split(out, "\n"), func(l string) bool { return !strings.HasPrefix(l, `{"seq":`) })
	slices.Sort(lines)
	return lines
}

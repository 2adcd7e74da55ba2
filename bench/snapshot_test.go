// Package bench holds measurements against git itself, made in the same run so that the machine does not matter.
package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/worktree"
)

// TestSnapshot_againstStash holds the promised price:
// 10 modified and 10 untracked files among 10,000 cost at most 1.3 times "git stash create"
// (which leaves the untracked ones out), among 100,000 at most as much.
func TestSnapshot_againstStash(t *testing.T) {
	for _, c := range []struct {
		files int
		most  float64
	}{{10_000, 1.3}, {100_000, 1.0}} {
		t.Run(fmt.Sprint(c.files), func(t *testing.T) {
			if c.files > 10_000 && os.Getenv("GIT_RESUME_PROVE") == "" {
				t.Skip("set GIT_RESUME_PROVE=1 to measure large repositories")
			}
			dir := manyFiles(t, c.files)
			ours, git := race(t, dir)
			ratio := float64(ours) / float64(git)
			t.Logf("%d files: snapshot %v, git stash create %v, ratio %.2f (at most %.1f)", c.files, ours, git, ratio, c.most)
			if ratio > c.most {
				t.Errorf("ratio %.2f, want at most %.1f", ratio, c.most)
			}
		})
	}
}

func environment(dir string) []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b"}
}

func git(t *testing.T, dir string, stdin string, args ...string) {
	t.Helper()
	c := proc.Command{Name: "git", Args: args, Dir: dir, Env: environment(dir), Stdin: strings.NewReader(stdin)}
	if _, err := c.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// manyFiles makes a repository with n files, a hundred in a directory.
func manyFiles(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	git(t, dir, "", "init", "-q")
	for i := range n {
		sub := filepath.Join(dir, fmt.Sprintf("d%d/e%d", i/10_000, i/100%100))
		if i%100 == 0 {
			if err := os.MkdirAll(sub, 0o777); err != nil {
				t.Fatal(err)
			}
		}
		write(t, filepath.Join(sub, fmt.Sprintf("f%d", i%100)), fmt.Sprintf("file %d\n", i))
	}
	git(t, dir, "", "add", "-A")
	git(t, dir, "", "commit", "-qm", "files")
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// race takes turns and returns the median of each.
func race(t *testing.T, dir string) (ours, theirs time.Duration) {
	t.Helper()
	place, err := gitstate.Locate(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	const rounds = 7
	var a, b []time.Duration
	for round := range rounds {
		for i := range 10 {
			sub := filepath.Join(dir, "d0", fmt.Sprintf("e%d", i))
			write(t, filepath.Join(sub, "f1"), fmt.Sprintf("modified in round %d\n", round))
			write(t, filepath.Join(sub, "new"), fmt.Sprintf("untracked in round %d\n", round))
		}
		start := time.Now()
		repo := gitstate.Open(place, environment(dir))
		_, err := worktree.Take(t.Context(), repo, worktree.SnapshotRequest{Run: "bench-a7f3", Now: time.Now})
		repo.Close()
		a = append(a, time.Since(start))
		if err != nil {
			t.Fatal(err)
		}
		start = time.Now()
		git(t, dir, "", "stash", "create")
		b = append(b, time.Since(start))
	}
	slices.Sort(a)
	slices.Sort(b)
	return a[rounds/2], b[rounds/2]
}

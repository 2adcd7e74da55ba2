package trash

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/worktree/series"
	"github.com/git-resume/git-resume/worktree/snapshot"
	"github.com/git-resume/git-resume/worktree/treetest"
)

// Commits on a detached HEAD must be saved with a snapshot. After they are lost, they must be restored with the same ids.
func TestTake_keepsCommitsOnNoBranch(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Git("checkout", "-q", "--detach")
	for i := range 3 {
		f.Write("loose", fmt.Sprint(i))
		f.Git("add", "-A")
		f.Git("commit", "-qm", fmt.Sprint("loose ", i))
	}
	head := f.Git("rev-parse", "HEAD")
	f.Write("loose", "uncommitted")
	first := f.take(snapshot.Request{})
	f.Write("loose", "more")
	calls := f.counting()
	second := f.take(snapshot.Request{}) // HEAD has not moved, so Take must not run rev-list again
	if asked := calls(); slices.ContainsFunc(asked, func(c string) bool { return strings.Contains(c, "rev-list") }) {
		t.Errorf("asked again: %v", asked)
	}
	f.Git("checkout", "-qf", "main")
	f.gc()
	if _, err := f.Try("cat-file", "-e", head); err == nil {
		t.Fatal("the commits are still there as commits")
	}
	for _, s := range []snapshot.Snapshot{first, second} {
		kept, err := series.KeptIn(t.Context(), f.Open(), []series.Entry{{Number: s.Number, ID: s.ID}})
		if err != nil || len(kept) != 3 {
			t.Errorf("%s keeps %v: %v", s.Name(), kept, err)
		}
		if err := series.WriteBack(t.Context(), f.Open(), kept); err != nil {
			t.Fatal(err)
		}
		if got := f.Git("log", "--format=%s", head); got != "loose 2\nloose 1\nloose 0\nfirst" {
			t.Errorf("history is %q", got)
		}
		f.Fsck()
		f.gc()
	}
}

// counting makes the fixture record each call of git. The returned function ends the recording and lists the calls.
func (f *fixture) counting() (calls func() []string) {
	f.T.Helper()
	dir := f.T.TempDir()
	var path string
	for _, v := range f.Env {
		if list, ok := strings.CutPrefix(v, "PATH="); ok {
			path = list
		}
	}
	git := ""
	for _, d := range filepath.SplitList(path) {
		if treetest.Exists(filepath.Join(d, "git")) {
			git = filepath.Join(d, "git")
			break
		}
	}
	script := fmt.Sprintf("#!/bin/sh\necho \"$*\" >>'%s/calls'\nexec '%s' \"$@\"\n", dir, git)
	if err := gittest.WriteProgram(filepath.Join(dir, "git"), []byte(script)); err != nil {
		f.T.Fatal(err)
	}
	before := f.Env
	f.Env = append(slices.Clone(f.Env), "PATH="+dir+string(os.PathListSeparator)+path)
	return func() []string {
		f.Env = before
		text, _ := os.ReadFile(filepath.Join(dir, "calls"))
		return strings.Split(strings.TrimSpace(string(text)), "\n")
	}
}

// TestTake_needsFewProcesses checks that the first and the fiftieth snapshot need at most three git processes each.
func TestTake_needsFewProcesses(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i := range 50 {
		f.Write("a.txt", fmt.Sprint(i))
		if i != 0 && i != 49 {
			f.take(snapshot.Request{})
			continue
		}
		calls := f.counting()
		f.take(snapshot.Request{})
		if all := calls(); len(all) > 3 {
			t.Errorf("snapshot %d started %d processes:\n%s", i+1, len(all), strings.Join(all, "\n"))
		}
	}
}

func TestTake_keepsNoReflog(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Git("config", "core.logAllRefUpdates", "always")
	f.Write("a.txt", "1\n")
	f.take(snapshot.Request{})
	f.Write("a.txt", "2\n")
	f.take(snapshot.Request{})
	if treetest.Exists(f.Path(".git/logs/refs/resume")) {
		t.Error("a reflog of trees is there")
	}
	f.Git("branch", "logged")
	if !treetest.Exists(f.Path(".git/logs/refs/heads/logged")) {
		t.Error("the user's own setting was lost")
	}
}

// If the ref of the snapshots points to something other than a git tree, Take must return an error and must not change the ref.
func TestTake_refusesAForeignRef(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Write("a.txt", "1\n")
	for _, what := range []string{"HEAD", "HEAD:a.txt"} {
		f.Git("update-ref", string(snapshot.Ref("job-a7f3")), f.Git("rev-parse", what))
		_, err := snapshot.Take(t.Context(), f.Open(), snapshot.Request{Run: "job-a7f3", Now: treetest.Clock})
		var odd *series.NotSeriesError
		if !errors.As(err, &odd) || f.Git("rev-parse", string(odd.Ref)) != f.Git("rev-parse", what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	// If the ref points to a tree with other entries, Take must keep them.
	f.Git("update-ref", string(snapshot.Ref("job-a7f3")), f.Git("rev-parse", "HEAD^{tree}"))
	s := f.take(snapshot.Request{Run: "job-a7f3"})
	if s.Number != 1 || f.Git("show", string(snapshot.Ref("job-a7f3")+":dir/b.txt")) != "b" || f.show(s, "a.txt") != "1\n" {
		t.Errorf("%+v", s)
	}
}

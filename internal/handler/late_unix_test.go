//go:build unix

package handler_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/handler"
	"github.com/git-resume/git-resume/internal/handler/merge"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/site"
)

// TestLate_mergeThatOutlivesItsOwner: git-resume is killed during a merge, but its git process lives on. That process moves the base while
// the next merge waits for its end. The next merge must then leave the files alone: they belong to a merge that is complete now.
func TestLate_mergeThatOutlivesItsOwner(t *testing.T) {
	t.Parallel()
	u := &user{Repo: gittest.New(t).WithBinary()}
	u.Write("changed", "old\n")
	u.Git("add", "-A")
	u.Git("commit", "-q", "-m", "base")
	before := u.head()
	u.MustResume("start", "--name", "job", "--task", "a")
	tree := u.In(staged(t, u))
	tree.Write("changed", "new\n")
	tree.Write("file.slow", "new\n")
	tree.Write("last", "new\n")
	tree.MustResume("task", "done", "a")

	// Git waits for this filter in the middle of the files, and the filter waits for us.
	filter := u.script("slow", "#!/bin/sh\ncd ..\necho $PPID > pid.new\nmv pid.new pid\nuntil test -e go; do sleep 0.02; done\nexec cat\n")
	goOn := func() { u.Write("../go", "") }
	t.Cleanup(goOn)
	u.Write(".git/info/attributes", "*.slow filter=slow\n")
	u.Git("config", "filter.slow.clean", "cat")
	u.Git("config", "filter.slow.smudge", filter)
	killed := u.launch(filepath.Join(gittest.Binary(t), "git-resume"), "merge", "job")
	await(t, "git writes the files", func() bool { return exists(filepath.Join(u.Root(), "pid")) })
	git, err := strconv.Atoi(strings.TrimSpace(u.Read("../pid")))
	if err != nil {
		t.Fatal(err)
	}
	_ = killed.Process.Kill()
	_, _ = killed.Process.Wait()
	if u.head() != before || u.Read("changed") != "new\n" {
		t.Fatal("the merge was not killed in the middle")
	}

	// Git goes on, and ends, exactly when the next merge looks whether it is still running.
	var once sync.Once
	table := proc.Table{Look: func(pid int) (proc.Process, bool) {
		if pid == git {
			once.Do(func() {
				goOn()
				await(t, "git ends", func() bool { _, there := proc.Table{}.Get(git); return !there })
			})
		}
		return proc.Table{}.Get(pid)
	}}
	store := u.store("next")
	e := handler.New(site.Site{Repo: store.Repo, Store: store, Now: time.Now, PID: os.Getpid(), Procs: table})
	got, err := e.Merging.Merge(t.Context(), merge.Request{Run: "job"})
	if err != nil || !got.Already || string(got.Commit) != tree.Git("rev-parse", "HEAD") {
		t.Errorf("the next merge: %+v, %v", got, err)
	}
	if out := u.Git("status", "--porcelain"); out != "" {
		t.Errorf("git status after it: %s", out)
	}
	if out := u.MustResume("log", "job"); strings.Count(out, "run.merged") != 1 {
		t.Errorf("it is not recorded once:\n%s", out)
	}
	u.MustResume("undo", "--yes", "job")
	if got := u.head(); got != before {
		t.Errorf("the undo leads to %s, want %s", got, before)
	}
}

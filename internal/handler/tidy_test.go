package handler_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

func TestTidy_sweepsOnlyWhatIsDead(t *testing.T) {
	u := &user{Repo: gittest.New(t).WithBinary()}
	u.MustResume("start", "--here", "--name", "first", "--task", "a")
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Skip("no process to end")
	}
	dead, own := gone.Process.Pid, os.Getpid()
	root := filepath.Join(u.Dir, ".git", "resume")
	old := time.Now().Add(-48 * time.Hour)
	files := map[string]bool{ // true for a file that must not be removed
		fmt.Sprintf("cache/first-abcd.tmp%d", dead):   false,
		fmt.Sprintf("open/.x.tmp%d-123", dead):        false,
		fmt.Sprintf("tmp/work.tmp%d-9/index", dead):   false,
		fmt.Sprintf("cache/first-abcd.tmp%d", own):    true,
		fmt.Sprintf("cache/young.tmp%d", dead):        true,
		"cache/other.tmpx":                            true,
		fmt.Sprintf("logs/first-abcd/a.tmp%d", dead):  true,
		fmt.Sprintf("trash/first-abcd/a.tmp%d", dead): true,
	}
	for name := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if filepath.Base(name) == fmt.Sprintf("young.tmp%d", dead) {
			continue
		}
		for p := path; p != root; p = filepath.Dir(p) {
			if err := os.Chtimes(p, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	u.MustResume("start", "--here", "--name", "second", "--task", "a")
	for name, stays := range files {
		if exists(filepath.Join(root, name)) != stays {
			t.Errorf("%s stays: %v, want %v", name, !stays, stays)
		}
	}
}

// Starting a run also deletes runs that were discarded longer ago than resume.keepDiscarded. The first start only marks them as due, and a
// later start deletes them.
func TestTidy_forgetsWhatWasDiscardedLongAgo(t *testing.T) {
	u := &user{Repo: gittest.New(t).WithBinary()}
	u.MustResume("start", "--name", "first", "--task", "a")
	u.MustResume("discard", "-y", "first")
	trash := u.Git("for-each-ref", "refs/resume/discarded")
	u.Git("config", "resume.keepDiscarded", "1s")
	for i, want := range []string{trash, ""} {
		time.Sleep(1100 * time.Millisecond)
		u.MustResume("start", "--here", "--name", fmt.Sprint("later", i), "--task", "a")
		if left := u.Git("for-each-ref", "refs/resume/discarded"); trash == "" || left != want {
			t.Errorf("start %d: trash was %q, and is %q", i+1, trash, left)
		}
	}
}

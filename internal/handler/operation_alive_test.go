package handler_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/flock"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/handler/repair"
	"github.com/git-resume/git-resume/internal/sources/gitops"
)

// waitScript creates a file to show that it runs, and then waits until the file "end" exists.
const waitScript = "#!/bin/sh\n: >'DIR/begun'\nwhile [ ! -e 'DIR/end' ]; do sleep 0.02; done\n"

func writeWaitScript(t *testing.T, r *gittest.Repo, path string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := gittest.WriteProgram(path, []byte(strings.ReplaceAll(waitScript, "DIR", r.Root()))); err != nil {
		t.Fatal(err)
	}
	return path
}

// endAfterMinute lets all waiting scripts end after a minute. Otherwise a program that waits for a living operation would hang for ever.
func endAfterMinute(r *gittest.Repo) *time.Timer {
	return time.AfterFunc(time.Minute, func() { _ = os.WriteFile(filepath.Join(r.Root(), "end"), nil, 0o644) })
}

// fileContents returns one text that has a line with the path and a checksum of each file below a folder.
func fileContents(t *testing.T, dir string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(&out, "%s %x\n", path, sha256.Sum256(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestOperate_alive checks that a running rebase or cherry-pick is reported as busy and left alone.
func TestOperate_alive(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		begin func(t *testing.T, r *gittest.Repo) *gittest.Repo
		args  []string
	}{
		{"hook", func(t *testing.T, r *gittest.Repo) *gittest.Repo {
			writeWaitScript(t, r, filepath.Join(r.Dir, ".git", "hooks", "prepare-commit-msg"))
			return r
		}, []string{"rebase", "main"}},
		{"hook at the start", func(t *testing.T, r *gittest.Repo) *gittest.Repo {
			writeWaitScript(t, r, filepath.Join(r.Dir, ".git", "hooks", "post-checkout"))
			return r
		}, []string{"rebase", "main"}},
		{"editor", func(t *testing.T, r *gittest.Repo) *gittest.Repo {
			return r.With("GIT_EDITOR="+writeWaitScript(t, r, filepath.Join(r.Root(), "editor")), "GIT_SEQUENCE_EDITOR=sed -i.bak 1s/^pick/reword/")
		}, []string{"rebase", "-i", "main"}},
		{"editor on a fast-forwarded reword", func(t *testing.T, r *gittest.Repo) *gittest.Repo {
			return r.With("GIT_EDITOR="+writeWaitScript(t, r, filepath.Join(r.Root(), "editor")), "GIT_SEQUENCE_EDITOR=sed -i.bak 1s/^pick/reword/")
		}, []string{"rebase", "-i", "HEAD~2"}},
		{"editor of the list", func(t *testing.T, r *gittest.Repo) *gittest.Repo {
			return r.With("GIT_SEQUENCE_EDITOR=" + writeWaitScript(t, r, filepath.Join(r.Root(), "editor")))
		}, []string{"rebase", "-i", "main"}},
		{"command", func(t *testing.T, r *gittest.Repo) *gittest.Repo {
			writeWaitScript(t, r, filepath.Join(r.Root(), "command"))
			return r
		}, []string{"rebase", "-x", "../command", "main"}},
		{"series of picks", func(t *testing.T, r *gittest.Repo) *gittest.Repo {
			r.Git("checkout", "-q", "main")
			writeWaitScript(t, r, filepath.Join(r.Dir, ".git", "hooks", "prepare-commit-msg"))
			return r
		}, []string{"cherry-pick", "topic~3..topic"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := gittest.Git{}.Fresh(t, "repo").WithBinary()
			r.Topic(3)
			atWork := c.begin(t, r)
			cmd := exec.Command("git", c.args...)
			cmd.Dir, cmd.Env = r.Dir, atWork.Env
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			done := make(chan error, 1)
			go func() { done <- cmd.Wait() }()
			for i := 0; ; i++ {
				if _, err := os.Stat(filepath.Join(r.Root(), "begun")); err == nil {
					break
				}
				if i == 1000 {
					t.Fatal("git never came so far")
				}
				time.Sleep(10 * time.Millisecond)
			}
			patience := endAfterMinute(r)
			defer patience.Stop()
			before := fileContents(t, r.Dir)
			for _, args := range [][]string{{"resume", "--yes"}, {"resume", "--auto"}, {"resume", "--discard", "git:" + c.args[0] + "@.", "--yes"}} {
				patience.Reset(time.Minute)
				out, code := r.Try("git", args...)
				if code != 13 || !strings.Contains(out, "still running") {
					t.Errorf("git %v: exit code %d\n%s", args, code, out)
				}
			}
			if out, _ := r.Try("git", "resume", "status"); !strings.Contains(out, "running ") {
				t.Errorf("status says:\n%s", out)
			}
			if after := fileContents(t, r.Dir); after != before {
				t.Errorf("something changed:\n%s\nbefore:\n%s", after, before)
			}
			r.In(r.Root()).Write("end", "")
			if err := <-done; err != nil {
				t.Errorf("git %v: %v", c.args, err)
			}
			if out, code := r.Try("git", "resume", "status", "--exit-code"); code != 0 {
				t.Errorf("afterwards: exit code %d\n%s", code, out)
			}
		})
	}
}

// TestOperate_orphan checks that a hook which outlives a killed git keeps the operation busy until the hook ends.
func TestOperate_orphan(t *testing.T) {
	t.Parallel()
	r := gittest.Git{}.Fresh(t, "repo").WithBinary()
	r.Topic(3)
	hook := writeWaitScript(t, r, filepath.Join(r.Dir, ".git", "hooks", "prepare-commit-msg"))
	text, err := os.ReadFile(hook)
	if err != nil {
		t.Fatal(err)
	}
	kill := strings.Replace(string(text), "#!/bin/sh\n", "#!/bin/sh\nkill -9 $PPID\n", 1)
	if err := gittest.WriteProgram(hook, []byte(kill)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("git", "rebase", "main")
	cmd.Dir, cmd.Env = r.Dir, r.Env
	if err := cmd.Run(); err == nil {
		t.Fatal("git was to be killed")
	}
	patience := endAfterMinute(r)
	defer patience.Stop()
	out, code := r.Try("git", "resume", "--yes")
	if code != 13 {
		t.Errorf("while the hook lives: exit code %d\n%s", code, out)
	}
	r.In(r.Root()).Write("end", "")
	if _, err := waitForSurvivors(t.Context(), engineAt(t, r)); err != nil {
		t.Fatal(err)
	}
	_ = os.Remove(hook)
	if out, code := r.Try("git", "resume", "--yes"); code != 0 {
		t.Errorf("afterwards: exit code %d\n%s", code, out)
	}
	if got := r.Git("log", "--format=%s", "main..topic"); got != "t3\nt2\nt1" {
		t.Errorf("commits are %q", got)
	}
}

// TestOperate_busyBesideAnother: if another process holds the lock of the worktree, the command does not wait for ever.
func TestOperate_busyBesideAnother(t *testing.T) {
	t.Parallel()
	r := gittest.Git{}.Fresh(t, "repo")
	r.Topic(3)
	if code := r.RebaseList("2 edit"); code != 0 {
		t.Fatalf("rebase: exit code %d", code)
	}
	e := engineAt(t, r)
	found, err := waitForSurvivors(t.Context(), e)
	if err != nil || len(found) != 1 {
		t.Fatalf("found %+v, %v", found, err)
	}
	other, err := flock.Try(e.Repo.CommonPath("resume", "trees", "main.lock"))
	if err != nil {
		t.Fatal(err)
	}
	before := fileContents(t, r.Dir)
	e.Patience = 50 * time.Millisecond
	_, err = e.Repairing.Operate(t.Context(), repair.Operating{State: found[0], Choice: gitops.Continue})
	var stuck *flock.StuckError
	if !errors.As(err, &stuck) || runtime.GOOS == "linux" && stuck.PID != os.Getpid() {
		t.Errorf("%v, and process %d holds the lock", err, os.Getpid())
	}
	if after := fileContents(t, r.Dir); after != before {
		t.Errorf("something changed:\n%s\nbefore:\n%s", after, before)
	}
	if err := other.Release(); err != nil {
		t.Fatal(err)
	}
	if _, err := continueAll(t, r); err != nil {
		t.Errorf("when the other is gone: %v", err)
	}
}

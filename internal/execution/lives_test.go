//go:build linux

package execution_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/clone"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/handler"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/site"
)

// TestOwnerKilled_taskLivesOn kills the process that executes a run while a task is still running.
// The run must count as busy until the task has ended.
func TestOwnerKilled_taskLivesOn(t *testing.T) {
	for _, v := range ways {
		t.Run(strings.ReplaceAll(v.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			r := v.begin(w, victim)
			group, owner := w.atMark(r)
			kill(owner, syscall.SIGKILL)
			_, code := r.wait()
			if code != 128+9 {
				t.Errorf("exit code %d", code)
			}
			if s := w.only(); s.State != "running" {
				t.Errorf("state %s while the task lives", s.State)
			}
			out, code := w.Resume("--yes", "--retry", "job")
			if code != 13 {
				t.Errorf("exit code %d, want 13\n%s", code, out)
			}
			// The printed kill command may name other processes of the task before the process group.
			if !regexp.MustCompile(fmt.Sprintf(`kill(?: \d+)* %d\b`, group)).MatchString(out) {
				t.Errorf("no command ends process %d:\n%s", group, out)
			}
			w.file("go", "")
			w.waitForGroup(group)
			if s := w.only(); s.State != "interrupted" || w.cause() != "" {
				t.Errorf("state %s after the task ended, cause %q", s.State, w.cause())
			}
			w.wantFile("half.txt", "whole\n") // the file that the task was writing is complete
			w.continueRun(v, victim)
		})
	}
}

// Daemons, and programs in some languages, close the lock file that they inherit. The run must stay busy nevertheless.
func TestOwnerKilled_taskWithoutTheLockFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	command := "exec 3>&-; " + victim
	r := ways[0].begin(w, command)
	group, owner := w.atMark(r)
	kill(owner, syscall.SIGKILL)
	r.wait()
	out, code := w.Resume("--yes", "--retry", "job")
	if code != 13 {
		t.Errorf("exit code %d, want 13\n%s", code, out)
	}
	wantIn(t, out, fmt.Sprint(group))
	kill(-group, syscall.SIGKILL)
	w.waitForGroup(group)
	w.file("go", "")
	w.continueRun(ways[0], command)
}

// After a reboot, other processes may have the recorded process ids, but the run must count as interrupted.
func TestReboot_makesARunInterrupted(t *testing.T) {
	for _, v := range ways {
		t.Run(strings.ReplaceAll(v.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			r := v.begin(w, victim)
			group, owner := w.atMark(r)
			kill(owner, syscall.SIGKILL)
			kill(-group, syscall.SIGKILL)
			r.wait()
			w.waitForGroup(group)
			w.reuseProcessIDs()
			w.file("go", "")
			w.reboot()
			if s := w.only(); s.State != "interrupted" || w.cause() != "" {
				t.Errorf("state %s, cause %q", s.State, w.cause())
			}
			w.wantFile("half.txt", "half\n")
			w.continueRun(v, victim)
		})
	}
}

func TestReboot_heldLocksMeanWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := ways[0].begin(w, victim)
	w.atMark(r)
	if s := w.only(); s.State != "running" {
		t.Errorf("state %s", s.State)
	}
	w.reboot()
	if s := w.only(); s.State != "running" {
		t.Errorf("state %s, although its locks are held", s.State)
	}
}

// reuseProcessIDs checks that the run counts as interrupted after a reboot, even if every recorded process id belongs to a living process
// again.
func (w *world) reuseProcessIDs() {
	w.T.Helper()
	e := w.engine()
	old := e.Procs
	e.Procs = proc.Table{
		Alone: clone.Alone(e.Repo),
		Look: func(pid int) (proc.Process, bool) {
			p, _ := old.Get(os.Getpid())
			p.PID, p.PPID = pid, 1
			return p, true
		},
		Here: func() proc.Host {
			h := old.Host()
			h.Boot = "after-the-restart"
			return h
		},
	}
	s, err := e.Find.Summary(context.Background(), checkpoint.RunID(w.only().Run))
	if err != nil || s.State != checkpoint.Interrupted {
		w.T.Errorf("state %s, %v", s.State, err)
	}
}

// reboot gives every program that is started from now on a different boot id. It skips the test where this is impossible.
func (w *world) reboot() {
	w.T.Helper()
	w.file("boot_id", "00000000-1111-2222-3333-444444444444\n")
	w.wrapper = []string{"unshare", "-m", "sh", "-c", `mount --bind "$SIDE/boot_id" /proc/sys/kernel/random/boot_id && exec "$0" "$@"`}
	if out, code := w.start("cat", "/proc/sys/kernel/random/boot_id").wait(); code != 0 || !strings.HasPrefix(out, "00000000-1111") {
		w.T.Skipf("no other boot id can be made here: %s", out)
	}
}

// engine opens the repository in this process, as the program sees it.
func (w *world) engine() *handler.Engine {
	w.T.Helper()
	place, err := locate.Find(w.Dir, w.Env)
	if err != nil {
		w.T.Fatal(err)
	}
	repo := gitstate.Open(place, w.Env)
	w.T.Cleanup(repo.Close)
	return handler.New(site.Site{
		Repo: repo, Store: &journal.Store{Repo: repo, Now: time.Now, Nonce: "testing"},
		Now: time.Now, PID: os.Getpid(), Random: func() [4]byte { return [4]byte{1, 2, 3, 4} },
	})
}

func TestWorktreeRemoved_underTheCommand(t *testing.T) {
	remove := `. "$SIDE/tell.sh"; if ! test -e "$SIDE/go"; then rm -rf "$PWD"; exit 0; fi; echo whole > half.txt`
	for _, v := range ways {
		t.Run(strings.ReplaceAll(v.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			// A run that makes no commits works in the user's worktree, which this command removes. So the test uses a linked worktree,
			// because the main worktree contains the repository.
			if !v.commits {
				tree := filepath.Join(filepath.Dir(w.Dir), "linked")
				w.Git("worktree", "add", "-q", "-b", "side", tree)
				w = &world{Repo: w.In(tree), side: w.side, limit: w.limit}
			}
			out, code := v.begin(w, remove).wait()
			if code != 1 {
				t.Errorf("exit code %d\n%s", code, out)
			}
			wantIn(t, out, "the worktree is gone", stopLine)
			if !v.commits {
				w = &world{Repo: w.In(filepath.Join(filepath.Dir(w.Dir), "repo")), side: w.side, limit: w.limit}
			}
			if s := w.only(); s.State != "failed" || w.cause() != "worktree" {
				t.Errorf("state %s, cause %q", s.State, w.cause())
			}
			if v.commits { // check that the commits of earlier tasks still exist
				if got := w.Git("show", "resume/"+w.only().Run+":a.txt"); got != "a" {
					t.Errorf("the branch has %q", got)
				}
			}
			w.file("go", "")
			if !v.commits {
				out, code := w.Resume("--yes", "job") // the user's own worktree must not be created again
				if code == 0 || strings.Contains(out, "finished") {
					t.Errorf("exit code %d\n%s", code, out)
				}
				return
			}
			if v.name == "plan" {
				w.continueRun(v, remove)
				return
			}
			// Continuing the run creates the script's worktree again. After that, the script is executed again.
			w.MustResume("--yes", "job")
			w.continueRun(v, remove)
		})
	}
}

func TestDiskFull_underTheCommand(t *testing.T) {
	fill := `. "$SIDE/tell.sh"; if ! test -e "$SIDE/go"; then echo half > half.txt; cat /dev/zero > big 2>/dev/null; exit 3; fi; echo whole > half.txt`
	for _, v := range ways {
		t.Run(strings.ReplaceAll(v.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			w := smallDisk(t)
			out, code := v.begin(w, fill).wait()
			if code == 0 {
				t.Errorf("exit code %d\n%s", code, out)
			}
			wantIn(t, out, stopLine, "No space left on device")
			s := w.only()
			if err := os.Remove(filepath.Join(s.Worktree, "big")); err != nil {
				t.Fatal(err)
			}
			// The end of the task may or may not have been recorded on the full disk. In both cases the record must be correct.
			ends := map[string]string{"interrupted": "", "failed": "exit"}
			if cause, ok := ends[w.only().State]; !ok || w.cause() != cause {
				t.Errorf("state %s, cause %q\n%s", w.only().State, w.cause(), out)
			}
			w.wantFile("half.txt", "half\n")
			w.file("go", "")
			w.continueRun(v, fill)
		})
	}
}

// smallDisk returns a repository on a separate small file system. It skips the test where none can be made.
func smallDisk(t *testing.T) *world {
	t.Helper()
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=6m"); err != nil {
		t.Skipf("no file system can be made here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
	r := gittest.New(t)
	dir := filepath.Join(disk, "repo")
	r.Git("clone", "-q", "--no-local", r.Dir, dir)
	return worldOf(t, r.In(dir))
}

package gitstate

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/dotgit"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/proc"
)

// writerVariable is an environment variable that makes this test program act as a writer, which a test can kill.
const writerVariable = "GITSTATE_TEST_WRITER"

func TestMain(m *testing.M) {
	if what := os.Getenv(writerVariable); what != "" {
		if err := write(what); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	gittest.Main(m)
}

// write performs one action in the repository of the current folder. For "index", "ref" and "delete", it starts a git process, which holds
// its lock files until the standard input of this test program ends.
func write(what string) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	p, err := locate.Find(dir, os.Environ())
	if err != nil {
		return err
	}
	r := Open(p, os.Environ())
	defer r.Close()
	index := filepath.Join(r.GitDir, "index.lock")
	call := process.Call{Mode: process.Write, Stdin: os.Stdin, Locks: []string{index}}
	switch what {
	case "index":
		call.Args = []string{"update-index", "--add", "--stdin"}
	case "ref":
		call.Args = []string{"update-ref", "--stdin"}
		call.Locks = append(call.Locks, r.Refs.Locks(refs.Update{Ref: lockedRef, New: "x"})...)
	case "delete":
		call.Args = []string{"update-ref", "--stdin"}
		call.Locks = r.Refs.Locks(refs.Update{Ref: lockedRef, Old: "x"})
	case "once":
		return writeOnce(r)
	case "replace":
		return r.Guard.Replace(os.Getenv("GITSTATE_TEST_FILE"), []byte("new\n"))
	case "beside":
		return makeBeside(r, os.Getenv("GITSTATE_TEST_FILE"))
	}
	_, err = r.Git(context.Background(), call)
	return err
}

// makeBeside begins to replace a file, and then waits to be killed. While it waits, the new file exists under a temporary name.
func makeBeside(r *Repo, path string) error {
	g, err := r.Guard.Writing()
	if err != nil {
		return err
	}
	tmp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+dotgit.TempMark()+"-1")
	if _, err := g.NoteTemp(tmp); err != nil {
		return err
	}
	if err := dotgit.AccessOf(path).Make(tmp, nil); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "made"), nil, 0o600); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

const lockedRef = "refs/resume/held"

// writeOnce writes the index and a ref that only this process uses.
func writeOnce(r *Repo) error {
	ctx := context.Background()
	_, head, err := r.Refs.Head(ctx)
	if err != nil {
		return err
	}
	err = r.Refs.Update(ctx, refs.Update{Ref: refs.Name(fmt.Sprintf("refs/resume/once-%d", os.Getpid())), New: head})
	if err != nil {
		return err
	}
	file, err := r.Objects.Object(ctx, "HEAD:README")
	if err != nil {
		return err
	}
	_, err = r.Git(ctx, process.Call{Args: []string{"update-index", "--add", "--cacheinfo", fmt.Sprintf("100644,%s,%d", file.ID, os.Getpid())},
		Mode: process.Write, Locks: []string{filepath.Join(r.GitDir, "index.lock")}})
	return err
}

// writer is a running copy of this test program.
type writer struct {
	t   *testing.T
	cmd *exec.Cmd
	in  *os.File
}

// startWriter starts a writer and waits until the file at the path "lock" exists. For most actions, this file is a lock of the writer's git
// child process.
func startWriter(t *testing.T, own *gittest.Repo, what, input, lock string) *writer {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("processes can be seen on Linux only")
	}
	in, out, err := os.Pipe()
	gittest.NoError(t, "pipe", err)
	cmd := exec.Command(os.Args[0])
	cmd.Dir, cmd.Stdin = own.Dir, in
	cmd.Env = append(append([]string{}, own.Env...), writerVariable+"="+what)
	gittest.NoError(t, "start", cmd.Start())
	in.Close()
	w := &writer{t, cmd, out}
	t.Cleanup(func() { w.in.Close(); _ = cmd.Wait() })
	_, err = out.WriteString(input)
	gittest.NoError(t, "write", err)
	waitFor(t, "the lock", func() bool { return exists(lock) })
	return w
}

// child returns the process id of the git process that the writer started.
func (w *writer) child() int {
	w.t.Helper()
	found := 0
	waitFor(w.t, "a git child", func() bool {
		pids, _ := proc.Table{}.All()
		for _, pid := range pids {
			if p, ok := (proc.Table{}).Get(pid); ok && p.PPID == w.cmd.Process.Pid && len(p.Args) > 0 && p.Args[0] == "git" {
				found = pid
			}
		}
		return found != 0
	})
	return found
}

// kill kills processes at the same moment, as a crash does, and waits until they are gone. If git lived a little longer, it would see the
// end of its input and undo what it had started.
func (w *writer) kill(pids ...int) {
	w.t.Helper()
	gittest.NoError(w.t, "kill", strike(pids))
	for _, pid := range pids {
		if pid == w.cmd.Process.Pid {
			_ = w.cmd.Wait()
		}
		waitFor(w.t, "the end of a process", func() bool { _, ok := (proc.Table{}).Get(pid); return !ok })
	}
}

func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// asideLocks lists the lock files that were moved out of git's way.
func asideLocks(own *gittest.Repo) []string {
	names, _ := filepath.Glob(filepath.Join(common(own), "resume", "trash", "locks", "*"))
	return names
}

func marksOf(own *gittest.Repo) []string {
	names, _ := filepath.Glob(filepath.Join(common(own), "resume", "writing", "*"))
	return names
}

func common(own *gittest.Repo) string {
	return ask(own, "rev-parse", "--path-format=absolute", "--git-common-dir")
}

// writeInChild writes in a separate process, as the user's next command does.
func writeInChild(own *gittest.Repo) (string, error) {
	cmd := exec.Command(os.Args[0])
	cmd.Dir, cmd.Env = own.Dir, append(append([]string{}, own.Env...), writerVariable+"=once")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func mustWriteInChild(t *testing.T, own *gittest.Repo) {
	t.Helper()
	if out, err := writeInChild(own); err != nil {
		t.Errorf("the next writer: %v\n%s", err, out)
	}
}

// TestGuard_killedWriter kills the writer and its git while git holds a lock. The next writer must still be able to write.
func TestGuard_killedWriter(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	id := own.Git("rev-parse", "HEAD")
	git := filepath.Join(own.Dir, ".git")
	for _, c := range []struct{ what, input, lock string }{
		{"index", "", filepath.Join(git, "index.lock")},
		{"ref", "start\ncreate " + lockedRef + " " + id + "\nprepare\n", filepath.Join(git, lockedRef+".lock")},
	} {
		before := len(asideLocks(own))
		w := startWriter(t, own, c.what, c.input, c.lock)
		w.kill(w.cmd.Process.Pid, w.child())
		gittest.Equal(t, "lock left behind", exists(c.lock), true)
		gittest.Equal(t, "marks left behind", len(marksOf(own)), 1)
		mustWriteInChild(t, own)
		gittest.Equal(t, "lock in the way", exists(c.lock), false)
		gittest.Equal(t, "locks moved aside", len(asideLocks(own)), before+1)
		gittest.Equal(t, "marks", len(marksOf(own)), 0)
	}
	own.Fsck()
}

// TestGuard_killedDeletion kills a writer and its git while git rewrites packed-refs. The half-written file blocks the deletion of refs
// until the next writer moves the file aside.
func TestGuard_killedDeletion(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	own.Git("update-ref", lockedRef, "HEAD")
	own.Git("pack-refs", "--all")
	half := filepath.Join(own.Dir, ".git", "packed-refs.new")
	w := startWriter(t, own, "delete", "start\ndelete "+lockedRef+"\nprepare\n", half)
	w.kill(w.cmd.Process.Pid, w.child())
	if _, code := own.Try("git", "update-ref", "-d", lockedRef); code == 0 || !exists(half) {
		t.Fatal("nothing is in the way, so this proves nothing")
	}
	mustWriteInChild(t, own)
	gittest.Equal(t, "half of the packed refs", exists(half), false)
	own.Git("update-ref", "-d", lockedRef)
	own.Fsck()
}

// TestGuard_killedChild kills only git. The writer reports this and clears git's lock itself.
func TestGuard_killedChild(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	lock := filepath.Join(own.Dir, ".git", "index.lock")
	w := startWriter(t, own, "index", "", lock)
	w.kill(w.child())
	if err := w.cmd.Wait(); err == nil {
		t.Error("the writer took a killed git for a success")
	}
	gittest.Equal(t, "lock in the way", exists(lock), false)
	gittest.Equal(t, "locks moved aside", len(asideLocks(own)), 1)
	gittest.Equal(t, "marks", len(marksOf(own)), 0)
	mustWriteInChild(t, own)
}

// TestGuard_childOutlivesWriter kills only the writer. Its git continues, and nobody takes git's lock away.
func TestGuard_childOutlivesWriter(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	lock := filepath.Join(own.Dir, ".git", "index.lock")
	own.Write("late", "late\n")
	w := startWriter(t, own, "index", "", lock)
	child := w.child()
	w.kill(w.cmd.Process.Pid)
	if out, err := writeInChild(own); err == nil || !strings.Contains(out, "index.lock") {
		t.Errorf("wrote beside a living git: %v\n%s", err, out)
	}
	gittest.Equal(t, "lock", exists(lock), true)
	gittest.Equal(t, "locks moved aside", len(asideLocks(own)), 0)
	_, err := w.in.WriteString("late\n")
	gittest.NoError(t, "write", err)
	w.in.Close()
	waitFor(t, "the end of git", func() bool { _, ok := (proc.Table{}).Get(child); return !ok })
	gittest.Equal(t, "index", own.Git("ls-files", "late"), "late")
	mustWriteInChild(t, own)
	gittest.Equal(t, "marks", len(marksOf(own)), 0)
}

// deadMark kills a writer whose mark file names the index lock, and then removes the lock. So the mark file stays, and names a lock that
// does not exist any more.
func deadMark(t *testing.T, at *gittest.Repo) (lock string) {
	t.Helper()
	lock = filepath.Join(ask(at, "rev-parse", "--absolute-git-dir"), "index.lock")
	w := startWriter(t, at, "index", "", lock)
	w.kill(w.cmd.Process.Pid, w.child())
	gittest.NoError(t, "remove", os.Remove(lock))
	return lock
}

// liveCommit starts a commit and keeps its editor open. The returned function closes the editor and returns the result of the commit.
func liveCommit(t *testing.T, at *gittest.Repo, lock string) (end func() error) {
	t.Helper()
	done := filepath.Join(t.TempDir(), "done")
	at.In(at.Git("rev-parse", "--show-toplevel")).Write("README", "live\n")
	cmd := exec.Command("git", "commit", "-q", "-a")
	cmd.Dir = at.Dir
	cmd.Env = append(append([]string{}, at.Env...), "GIT_EDITOR=while ! test -e '"+done+"'; do sleep 0.02; done; echo live >")
	gittest.NoError(t, "start", cmd.Start())
	waitFor(t, "the lock", func() bool { return exists(lock) })
	return func() error {
		gittest.NoError(t, "write", os.WriteFile(done, nil, 0o644))
		return cmd.Wait()
	}
}

// TestGuard_livingGit checks that a running git keeps its lock, although a dead writer's mark file names this lock.
func TestGuard_livingGit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		make func(*gittest.Repo) (live, writer *gittest.Repo)
	}{
		{"in the same worktree", func(r *gittest.Repo) (live, writer *gittest.Repo) { return r, r }},
		{"in a folder of it", func(r *gittest.Repo) (live, writer *gittest.Repo) { return r.In(filepath.Join(r.Dir, "dir")), r }},
		{"in a linked worktree", func(r *gittest.Repo) (live, writer *gittest.Repo) {
			r.Git("worktree", "add", "-q", "-b", "linked", "../linked")
			return r.In(filepath.Join(r.Root(), "linked")), r
		}},
		{"in the main worktree, elsewhere", func(r *gittest.Repo) (live, writer *gittest.Repo) {
			r.Git("worktree", "add", "-q", "-b", "linked", "../linked")
			return r, r.In(filepath.Join(r.Root(), "linked"))
		}},
		{"named by GIT_DIR", func(r *gittest.Repo) (live, writer *gittest.Repo) {
			tree := r.In(r.Root()).With("GIT_DIR="+filepath.Join(r.Dir, ".git"), "GIT_WORK_TREE="+r.Root())
			return tree, r
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			own := gittest.Git{}.Fresh(t, "repo", "--separate-git-dir="+filepath.Join(t.TempDir(), "away.git"))
			if strings.Contains(c.name, "GIT_DIR") {
				own = gittest.Git{}.Fresh(t, "repo")
			}
			live, writing := c.make(own)
			lock := deadMark(t, live)
			end := liveCommit(t, live, lock)
			writing.Git("rev-parse", "HEAD")
			_, _ = writeInChild(writing) // in the same worktree this write fails because of the lock, in another worktree it succeeds
			gittest.Equal(t, "locks moved aside", len(asideLocks(own)), 0)
			gittest.Equal(t, "lock", exists(lock), true)
			gittest.NoError(t, "the commit", end())
			gittest.Equal(t, "subject", live.Git("log", "-1", "--format=%s"), "live")
			mustWriteInChild(t, writing)
			gittest.Equal(t, "marks", len(marksOf(own)), 0)
		})
	}
}

// TestGuard_inAHook writes from a hook while the git that runs the hook holds a lock. A dead writer's mark file names this lock, but the
// lock must not be moved.
func TestGuard_inAHook(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	lock := deadMark(t, own)
	own.Write(".git/hooks/pre-commit", "#!/bin/sh\ntest -e '"+lock+"' || exit 3\n"+writerVariable+"=once '"+os.Args[0]+"' >'"+own.Root()+"/said'\ntest -e '"+lock+"' || exit 4\n")
	gittest.NoError(t, "chmod", os.Chmod(filepath.Join(own.Dir, ".git/hooks/pre-commit"), 0o755))
	own.Write("README", "changed\n")
	own.Git("commit", "-q", "-a", "-m", "with a hook")
	gittest.Equal(t, "locks moved aside", len(asideLocks(own)), 0)
	if own.Git("for-each-ref", "refs/resume/") == "" {
		t.Error("the hook's writer did not write its ref")
	}
	mustWriteInChild(t, own)
}

// TestGuard_foreignLock checks that a lock which existed before our call is not moved.
func TestGuard_foreignLock(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	index := filepath.Join(own.Dir, ".git", "index.lock")
	held := filepath.Join(own.Dir, ".git", lockedRef+".lock")
	own.Write(".git/index.lock", "of a git that crashed")
	w := startWriter(t, own, "ref", "start\ncreate "+lockedRef+" "+own.Git("rev-parse", "HEAD")+"\nprepare\n", held)
	w.kill(w.cmd.Process.Pid, w.child())
	_, _ = writeInChild(own) // writing the index fails because of the foreign lock
	gittest.Equal(t, "our lock", exists(held), false)
	gittest.Equal(t, "foreign lock", exists(index), true)
	gittest.Equal(t, "locks moved aside", len(asideLocks(own)), 1)
}

// TestGuard_movedRepository checks that a dead writer's lock is found after the repository was moved, and through a symbolic link.
func TestGuard_movedRepository(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	lock := filepath.Join(own.Dir, ".git", "index.lock")
	w := startWriter(t, own, "index", "", lock)
	w.kill(w.cmd.Process.Pid, w.child())
	to := filepath.Join(own.Root(), "moved")
	gittest.NoError(t, "rename", os.Rename(own.Dir, to))
	gittest.NoError(t, "link", os.Symlink(to, filepath.Join(own.Root(), "link")))
	at := own.In(filepath.Join(own.Root(), "link"))
	mustWriteInChild(t, at)
	gittest.Equal(t, "lock", exists(filepath.Join(to, ".git", "index.lock")), false)
	gittest.Equal(t, "locks moved aside", len(asideLocks(at)), 1)
}

// TestGuard_writersAtOnce lets several writers find a dead writer's lock at once. This lock must be moved aside exactly once, and no other
// lock may be moved.
func TestGuard_writersAtOnce(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	lock := filepath.Join(own.Dir, ".git", "index.lock")
	rounds, writers := 6, 4
	if gittest.Proving() {
		rounds, writers = 100, 8
	}
	for round := range rounds {
		w := startWriter(t, own, "index", "", lock)
		w.kill(w.cmd.Process.Pid, w.child())
		var all sync.WaitGroup
		for range writers {
			all.Go(func() {
				out, err := writeInChild(own)
				for tries := 0; err != nil && tries < 200; tries++ {
					if !strings.Contains(out, "index.lock': File exists") {
						t.Errorf("a writer: %v\n%s", err, out)
						return
					}
					out, err = writeInChild(own)
				}
			})
		}
		all.Wait()
		mustWriteInChild(t, own)
		gittest.Equal(t, "locks moved aside", len(asideLocks(own)), round+1)
		gittest.Equal(t, "marks", len(marksOf(own)), 0)
	}
	own.Fsck()
}

// TestGuard_markedLocks checks that MarkedLocks contains a writer's lock. The lock must stay in the list after the writer was killed,
// until the lock is moved aside.
func TestGuard_markedLocks(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	held := filepath.Join(own.Dir, ".git", lockedRef+".lock")
	r := openAt(t, own)
	gittest.Equal(t, "before anybody wrote", len(r.Guard.MarkedLocks()), 0)
	w := startWriter(t, own, "ref", "start\ncreate "+lockedRef+" "+own.Git("rev-parse", "HEAD")+"\nprepare\n", held)
	gittest.Equal(t, "while it lives", r.Guard.MarkedLocks()[held], true)
	w.kill(w.cmd.Process.Pid, w.child())
	gittest.Equal(t, "after its death", r.Guard.MarkedLocks()[held], true)
	gittest.Equal(t, "the lock itself", exists(held), true)
	r.Guard.ClearDead()
	gittest.Equal(t, "after the next writer", len(r.Guard.MarkedLocks()), 0)
	gittest.Equal(t, "the lock then", exists(held), false)
}

//go:build unix

package gitstate

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/gittest"
)

// One process moves ref after ref. If it fails or is killed, another process moves the later refs.
func TestStay_movesRefsWhateverBecomesOfIt(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	r := openAt(t, own)
	r.Shield()
	head := object.ID(own.Git("rev-parse", "HEAD"))
	create := func(n int) {
		t.Helper()
		ref := fmt.Sprintf("refs/resume/n%d", n)
		gittest.NoError(t, ref, r.Refs.Update(t.Context(), refs.Update{Ref: refs.Name(ref), New: head}))
		gittest.Equal(t, ref, own.Git("rev-parse", ref), string(head))
	}
	create(1)
	if !r.AtLeast(t.Context(), "2.34") {
		t.Skip("this git answers at the end only")
	}
	first := moverOf(t, r)
	create(2)
	gittest.Equal(t, "process", moverOf(t, r), first)

	other := object.ID(own.Git("commit-tree", "-m", "other", "HEAD^{tree}"))
	assertStale(t, r.Refs.Update(t.Context(), refs.Update{Ref: "refs/resume/n1", New: other}), refs.StaleError{Ref: "refs/resume/n1", Wanted: "", Found: head})
	create(3)

	gittest.NoError(t, "kill", syscall.Kill(moverOf(t, r).PID(), syscall.SIGKILL))
	create(4)
	create(5)
	marks, err := os.ReadDir(filepath.Join(own.Dir, ".git", "resume", "writing"))
	gittest.NoError(t, "marks", err)
	gittest.Equal(t, "marks", len(marks), 1)
	last := moverOf(t, r)
	r.Close()
	gittest.Equal(t, "the process that stayed has ended", last.HasEnded(), true)
	own.Fsck()
}

// moverOf returns the running process that moves refs.
func moverOf(t *testing.T, r *Repo) *process.Talk {
	t.Helper()
	at, err := r.Resident(t.Context(), process.Mover, process.Call{Args: []string{"version"}})
	gittest.NoError(t, "the process that stays", err)
	gittest.Equal(t, "command", at.Name, "update-ref")
	return at
}

// A child process that git-resume is starting inherits all open files of git-resume for a moment. One of them is the mark file, so the
// child keeps the lock of the mark file. If git is killed in this moment, git-resume must not take this lock for a sign that git is still
// alive. Otherwise the mark file would stay, and so would the lock files that it lists.
func TestStay_aChildThatIsBeingStartedIsNoWriter(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	r := openAt(t, own)
	r.Shield()
	head := object.ID(own.Git("rev-parse", "HEAD"))
	gittest.NoError(t, "first", r.Refs.Update(t.Context(), refs.Update{Ref: "refs/resume/n1", New: head}))
	if !r.AtLeast(t.Context(), "2.34") {
		t.Skip("this git answers at the end only")
	}
	mark, err := r.Guard.Writing()
	gittest.NoError(t, "mark", err)
	slow := exec.Command("sleep", "0.3") // simulates a child process that is slow to start, between fork and exec
	slow.ExtraFiles = []*os.File{mark.File()}
	gittest.NoError(t, "start", slow.Start())
	defer slow.Wait()
	lock := filepath.Join(own.Dir, ".git", "refs", "resume", "n2.lock")
	mover := moverOf(t, r).PID()
	gittest.NoError(t, "stop", syscall.Kill(mover, syscall.SIGSTOP))
	go func() { // acts as if git was killed right after it had created the lock that the mark file lists
		for len(r.Guard.MarkedLocks()) == 0 {
			time.Sleep(time.Millisecond)
		}
		_ = os.WriteFile(lock, nil, 0o666)
		_ = syscall.Kill(mover, syscall.SIGKILL)
	}()
	gittest.NoError(t, "second", r.Refs.Update(t.Context(), refs.Update{Ref: "refs/resume/n2", New: head}))
	gittest.Equal(t, "ref", own.Git("rev-parse", "refs/resume/n2"), string(head))
	marks, err := os.ReadDir(filepath.Join(own.Dir, ".git", "resume", "writing"))
	gittest.NoError(t, "marks", err)
	gittest.Equal(t, "marks", len(marks), 1)
	r.Close()
	own.Fsck()
}

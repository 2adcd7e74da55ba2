package site

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/flock"
	"github.com/git-resume/git-resume/internal/proc"
)

// TreeLock returns the path of the lock file of a worktree. Commands of git-resume hold this lock while they change the worktree.
func TreeLock(repo *gitstate.Repo, admin string) string {
	return repo.CommonPath("resume", "trees", admin+".lock")
}

// LockTree prevents two of our processes from changing the same worktree at the same time. It returns the function that unlocks the
// worktree, and an error if the wait takes too long. If one of our ancestors holds the lock, LockTree does not wait: that process waits for
// us, because git runs a hook of the user, such as post-merge, and the hook has called git-resume.
func (e *Site) LockTree(admin string, patience time.Duration) (func(), error) {
	if e.Patience > 0 {
		patience = e.Patience
	}
	path := TreeLock(e.Repo, admin)
	if e.isHeldAbove(path) {
		return func() {}, nil
	}
	lock, err := flock.WaitFor(path, patience)
	if err != nil {
		return nil, fmt.Errorf("lock the worktree: %w", err)
	}
	if me, ok := e.Procs.Get(e.PID); ok {
		_ = lock.Write(fmt.Appendf(nil, "%d %s\n", me.PID, me.Start)) // without the text, only our own descendants wait in vain
	}
	return func() {
		_ = lock.Write(nil)
		_ = lock.Release()
	}, nil
}

// isHeldAbove reports whether one of our ancestors holds the lock of a worktree.
func (e *Site) isHeldAbove(path string) bool {
	number, start, ok := strings.Cut(strings.TrimSuffix(string(flock.Read(path)), "\n"), " ")
	pid, err := strconv.Atoi(number)
	return ok && err == nil && flock.Held(path) &&
		slices.ContainsFunc(e.Procs.Ancestors(e.PID), func(p proc.Process) bool { return p.PID == pid && p.Start == start })
}

package worktree

import (
	"path/filepath"

	"github.com/git-resume/git-resume/worktree/place"
)

// lockedByGit is the reason that git writes into a lock if nobody names one.
const lockedByGit = "added with --lock"

// nameLock replaces git's own reason in the lock of the worktree at c.path by ours. It is called after git has made the worktree, because
// git before 2.33 cannot be given a reason. If the process is killed in between, the next call of Create replaces the reason.
func (c *creation) nameLock() error {
	admin := c.repo.CommonPath("worktrees", filepath.Base(c.path))
	if place.Content(filepath.Join(admin, "locked")) != lockedByGit ||
		!place.Same(filepath.Dir(place.Content(filepath.Join(admin, "gitdir"))), c.path) ||
		!c.req.Detach && place.Content(filepath.Join(admin, "HEAD")) != "ref: "+string(c.ref()) {
		return nil
	}
	return place.Replace(filepath.Join(admin, "locked"), []byte(LockPrefix+c.req.Run+"\n"))
}

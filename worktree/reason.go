package worktree

import (
	"path/filepath"

	"github.com/git-resume/git-resume/worktree/place"
)

// lockedByGit is the reason that git writes into a lock if nobody names one.
const lockedByGit = "added with --lock"

// nameLock writes our reason into the lock of the new worktree at c.path. git before 2.33 does not accept a reason when it makes the
// worktree, and writes its own. If this process is killed before nameLock, the next call of Create does the same.
func (c *creation) nameLock() error {
	admin := c.repo.CommonPath("worktrees", filepath.Base(c.path))
	if place.Content(filepath.Join(admin, "locked")) != lockedByGit ||
		!place.Same(filepath.Dir(place.Content(filepath.Join(admin, "gitdir"))), c.path) ||
		!c.req.Detach && place.Content(filepath.Join(admin, "HEAD")) != "ref: "+string(c.ref()) {
		return nil
	}
	return place.Replace(filepath.Join(admin, "locked"), []byte(LockPrefix+c.req.Run+"\n"))
}

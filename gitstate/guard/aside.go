package guard

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mostRefFolders limits how many folders are searched for locks of loose refs, because reading the state must stay cheap.
const mostRefFolders = 512

// RefLocks lists the lock files of the refs that all worktrees share, both for refs in files and for refs in reftables. It searches at
// most mostRefFolders folders of refs in files.
func (r *Dir) RefLocks() []string {
	var out []string
	folders := 0
	_ = filepath.WalkDir(r.path("refs"), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // skip a folder that cannot be read
		case d.IsDir():
			if folders++; folders > mostRefFolders {
				return fs.SkipAll
			}
		case strings.HasSuffix(d.Name(), ".lock"):
			out = append(out, path)
		}
		return nil
	})
	tables, _ := os.ReadDir(r.path("reftable")) // the folder is missing if there are no reftables
	for _, e := range tables {
		if strings.HasSuffix(e.Name(), ".lock") {
			out = append(out, r.path("reftable", e.Name()))
		}
	}
	return slices.DeleteFunc(out, func(path string) bool { return !r.IsGitLock(path) })
}

// LivingLockError reports a lock that may belong to a running process.
type LivingLockError struct{ Path string }

func (e *LivingLockError) Error() string {
	return fmt.Sprintf("the lock '%s' may belong to a git process that is still running", e.Path)
}

// SetAside moves lock files out of git's way, and returns the new path of each. It skips locks that no longer exist. It refuses a path
// that is not a lock of this repository. It also refuses if a git process may still hold one of the locks, or if we cannot list the
// processes.
func (r *Dir) SetAside(locks []string) (kept map[string]string, err error) {
	kept = map[string]string{}
	seen := map[string]fs.FileInfo{}
	for _, lock := range locks {
		info, err := os.Lstat(lock)
		if err != nil {
			continue
		}
		if !r.IsGitLock(lock) {
			return kept, fmt.Errorf("'%s' is not a lock of this repository", lock)
		}
		seen[lock] = info
	}
	if len(seen) == 0 {
		return kept, nil
	}
	if r.atWork() {
		first := slices.IndexFunc(locks, func(lock string) bool { return seen[lock] != nil })
		return kept, &LivingLockError{Path: locks[first]}
	}
	for _, lock := range locks {
		was, there := seen[lock]
		now, err := os.Lstat(lock)
		if !there || errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil || !os.SameFile(was, now) || !was.ModTime().Equal(now.ModTime()) {
			return kept, &LivingLockError{Path: lock}
		}
		if kept[lock], err = r.setAside(lock); err != nil {
			return kept, fmt.Errorf("move a lock aside: %w", err)
		}
	}
	return kept, nil
}

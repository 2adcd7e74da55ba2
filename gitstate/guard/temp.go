package guard

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/git-resume/git-resume/internal/dotgit"
	"github.com/git-resume/git-resume/internal/flock"
)

// TempDir makes a temporary folder on the repository's file system, for callers that write. The returned function removes the folder. The
// folder's path contains the name of this process's mark file. So the next writer can see whether the process has ended, and then removes
// the folder.
func (r *Dir) TempDir() (dir string, done func(), err error) {
	g, err := r.Writing()
	if err != nil {
		return "", nil, err
	}
	base := filepath.Join(r.tempRoot(), filepath.Base(g.path))
	dir, err = retryMake(func() (string, error) {
		if err := dotgit.MkdirAll(base); err != nil {
			return "", err
		}
		return os.MkdirTemp(base, "")
	})
	if err != nil {
		return "", nil, fmt.Errorf("make a temporary folder: %w", err)
	}
	return dir, func() {
		_ = os.RemoveAll(dir)
		_ = os.Remove(base)  // fails if this process has another temporary folder in base
		runtime.KeepAlive(g) // otherwise the garbage collector could close the mark file, and others would remove the folder
	}, nil
}

const maxMakeTries = 1000

// retryMake creates something in a folder that other processes remove when it is empty. It tries again if the folder vanished.
func retryMake(one func() (string, error)) (path string, err error) {
	for range maxMakeTries {
		if path, err = one(); !errors.Is(err, os.ErrNotExist) {
			break
		}
	}
	return path, err
}

func (r *Dir) tempRoot() string { return r.path("resume", "tmp") }

// sweepDirs removes the temporary folders of all writers whose mark files are not in held. The caller must hold the lock for making
// mark files, so that no new writer can appear in the meantime.
func (r *Dir) sweepDirs(held map[string]bool) {
	entries, _ := os.ReadDir(r.tempRoot()) // this folder does not exist before the first temporary folder is made
	for _, e := range entries {
		if isMarkName(e.Name()) && !held[e.Name()] {
			_ = os.RemoveAll(filepath.Join(r.tempRoot(), e.Name())) // after an error the next writer tries again
		}
	}
}

// isMarkName reports whether a name has the form of a mark file's name. In older versions of git-resume, the names of temporary folders end
// with a process id instead. SweepTemp removes such folders.
func isMarkName(name string) bool {
	_, err := strconv.ParseUint(name, 16, 64)
	return err == nil && len(name) == 2*markSize
}

// ScratchDir makes a folder outside the repository, for callers that only read. The returned function removes the folder. A lock file
// beside the folder shows other processes that the folder is in use.
func ScratchDir() (dir string, remove func(), err error) {
	home := scratchHome()
	sweepScratch()
	var lock *flock.Lock
	root, err := retryMake(func() (string, error) {
		in := home
		if err := os.Mkdir(in, 0o700); err != nil && !os.IsExist(err) {
			return "", err
		}
		if !isPrivate(in) {
			in = os.TempDir() // another user could change files in scratchHome, so use the system's folder, although we never clean up there
		}
		root, err := os.MkdirTemp(in, scratchPrefix)
		if err != nil {
			return "", err
		}
		if lock, err = flock.Make(filepath.Join(root, scratchLock)); err != nil {
			_ = os.RemoveAll(root)
		}
		return root, err
	})
	if err != nil {
		return "", nil, err
	}
	remove = func() {
		_ = os.RemoveAll(dir)
		_ = lock.Release() // release the lock before its folder is removed, because some systems cannot remove an open file
		_ = os.RemoveAll(root)
		_ = os.Remove(home) // this fails if another process still uses the folder
	}
	dir = filepath.Join(root, "objects")
	if err := os.Mkdir(dir, 0o700); err != nil {
		remove()
		return "", nil, err
	}
	return dir, remove, nil
}

const (
	scratchPrefix = "git-resume-"
	scratchLock   = "lock"
	// A scratch folder that is older than scratchLockTime and still has no lock counts as left behind.
	scratchLockTime = time.Hour
)

// scratchHome returns the path of the folder in which this user's scratch folders are made. With such a folder, a search for leftovers need
// not read all of /tmp.
func scratchHome() string {
	return filepath.Join(os.TempDir(), scratchPrefix+strconv.Itoa(dotgit.ThisUser()))
}

// isPrivate reports whether a folder belongs to this user and nobody else can use it. Another user may have created the folder first. On
// Windows every folder counts as private, because each user has a separate temporary folder.
func isPrivate(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	owner, ok := dotgit.OwnerOf(info)
	return dotgit.ThisUser() < 0 || ok && owner == dotgit.ThisUser() && info.Mode().Perm()&0o077 == 0
}

// sweepScratch removes the scratch folders of killed processes.
func sweepScratch() {
	home := scratchHome()
	if !isPrivate(home) {
		return
	}
	entries, _ := os.ReadDir(home) // after an error a later call tries again
	for _, e := range entries {
		path := filepath.Join(home, e.Name())
		lock := filepath.Join(path, scratchLock)
		if release, ok := flock.Orphan(lock); ok {
			// The process that is making this folder may still be alive. Then flock.Make in that process fails, because the lock file is
			// gone, and ScratchDir makes another folder.
			_ = os.RemoveAll(path)
			release()
			continue
		}
		if _, err := os.Lstat(lock); err != nil && !isOlder(path, home) || flock.Held(lock) {
			continue
		}
		_ = os.RemoveAll(path)
	}
}

// isOlder reports whether a folder's time of last change is more than scratchLockTime before that of its parent folder.
func isOlder(path, home string) bool {
	a, errA := os.Lstat(path)
	b, errB := os.Lstat(home)
	return errA == nil && errB == nil && b.ModTime().Sub(a.ModTime()) > scratchLockTime
}

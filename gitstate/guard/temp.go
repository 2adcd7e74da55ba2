package guard

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/git-resume/git-resume/internal/dotgit"
	"github.com/git-resume/git-resume/internal/flock"
)

// TempDir makes a folder of our own on the repository's file system, for callers that write; done removes it.
// It is named after this process's mark: if that mark is free or gone, so is the process, and the next writer removes the folder.
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
		_ = os.Remove(base) // fails if another folder of this process is still in it
	}, nil
}

// maxMakeTries limits how often a folder may vanish while something is made in it.
const maxMakeTries = 1000

// retryMake makes something in a folder that others remove when it is empty, and tries again if that happens.
func retryMake(one func() (string, error)) (path string, err error) {
	for range maxMakeTries {
		if path, err = one(); !errors.Is(err, os.ErrNotExist) {
			break
		}
	}
	return path, err
}

func (r *Dir) tempRoot() string { return r.path("resume", "tmp") }

// sweepDirs removes the temporary folders of writers whose mark nobody holds. The caller has the turn to make marks,
// so no new mark, and no folder of one, can appear meanwhile.
func (r *Dir) sweepDirs(held map[string]bool) {
	entries, _ := os.ReadDir(r.tempRoot()) // most often there is none
	for _, e := range entries {
		if isMarkName(e.Name()) && !held[e.Name()] {
			_ = os.RemoveAll(filepath.Join(r.tempRoot(), e.Name())) // after an error the next writer tries again
		}
	}
}

// isMarkName reports whether a name has the form of a mark; older names end with a process id and are swept by that.
func isMarkName(name string) bool {
	_, err := strconv.ParseUint(name, 16, 64)
	return err == nil && len(name) == 2*markSize
}

// ScratchDir makes a folder outside the repository, for callers that only read; remove deletes it.
// It holds a lock as long as its process lives: the next ScratchDir or the next writer removes the folders that nobody holds.
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
			in = os.TempDir() // better a folder that is never swept than one inside a stranger's folder
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
		_ = lock.Release() // release the lock first, because not every system can remove an open file
		_ = os.RemoveAll(root)
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
	// scratchLockTime is how long a process may take between making its folder and locking it, by the file system's clock.
	scratchLockTime = time.Hour
)

// scratchHome is a folder that belongs to this user alone, so that looking for leftovers does not mean reading all of /tmp.
func scratchHome() string {
	return filepath.Join(os.TempDir(), scratchPrefix+strconv.Itoa(dotgit.ThisUser()))
}

// isPrivate checks the owner, because anybody may have made a folder of that name. Where users have no numbers, each has his own /tmp.
func isPrivate(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	owner, ok := dotgit.OwnerOf(info)
	return dotgit.ThisUser() < 0 || ok && owner == dotgit.ThisUser() && info.Mode().Perm()&0o077 == 0
}

// sweepScratch removes the folders that killed readers left.
func sweepScratch() {
	home := scratchHome()
	if !isPrivate(home) {
		return
	}
	entries, _ := os.ReadDir(home) // after an error, another call tries again
	for _, e := range entries {
		path := filepath.Join(home, e.Name())
		lock := filepath.Join(path, scratchLock)
		if release, ok := flock.Orphan(lock); ok {
			_ = os.RemoveAll(path) // if its maker is still alive, it makes another folder
			release()
			continue
		}
		if _, err := os.Lstat(lock); err != nil && !isOlder(path, home) || flock.Held(lock) {
			continue
		}
		_ = os.RemoveAll(path)
	}
}

// isOlder reports whether a folder was made long before the newest change of the folder that holds it.
func isOlder(path, home string) bool {
	a, errA := os.Lstat(path)
	b, errB := os.Lstat(home)
	return errA == nil && errB == nil && b.ModTime().Sub(a.ModTime()) > scratchLockTime
}

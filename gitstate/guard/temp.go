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

// TempDir is a folder of our own on the repository's file system, for those who write; done removes it.
// It has the name of this process's mark: where the mark is free or gone, so is its process, and whoever writes next removes the folder.
func (r *Dir) TempDir() (dir string, done func(), err error) {
	g, err := r.Writing()
	if err != nil {
		return "", nil, err
	}
	base := filepath.Join(r.tempRoot(), filepath.Base(g.path))
	dir, err = made(func() (string, error) {
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
		_ = os.Remove(base) // another one of this process may be in it
	}, nil
}

// mostMade is how often a folder may vanish while something is made in it.
const mostMade = 1000

// made makes something in a folder that others take away when it is empty: then it is made again.
func made(one func() (string, error)) (path string, err error) {
	for range mostMade {
		if path, err = one(); !errors.Is(err, os.ErrNotExist) {
			break
		}
	}
	return path, err
}

func (r *Dir) tempRoot() string { return r.path("resume", "tmp") }

// sweepDirs removes the temporary folders of writers whose mark is not among those that are held. The turn to make marks is ours,
// so that no mark, and no folder of one, can come meanwhile.
func (r *Dir) sweepDirs(held map[string]bool) {
	entries, _ := os.ReadDir(r.tempRoot()) // most often there is none
	for _, e := range entries {
		if isMarkName(e.Name()) && !held[e.Name()] {
			_ = os.RemoveAll(filepath.Join(r.tempRoot(), e.Name())) // the next one tries again
		}
	}
}

// isMarkName: older names end with the number of their process, and are swept by that.
func isMarkName(name string) bool {
	_, err := strconv.ParseUint(name, 16, 64)
	return err == nil && len(name) == 2*markSize
}

// ScratchDir is a folder outside of the repository, for those who only read; remove takes it away.
// It holds a lock for as long as its process lives: whoever makes the next one, or writes, removes those that nobody holds.
func ScratchDir() (dir string, remove func(), err error) {
	home := scratchHome()
	sweepScratch()
	var lock *flock.Lock
	root, err := made(func() (string, error) {
		in := home
		if err := os.Mkdir(in, 0o700); err != nil && !os.IsExist(err) {
			return "", err
		}
		if !isPrivate(in) {
			in = os.TempDir() // it is sooner without a sweep than in a stranger's folder
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
		_ = lock.Release() // before the rest goes: not every system removes a file that is open
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
	// scratchStart is how long a process may take from making its folder to locking it, on the clock of the file system.
	scratchStart = time.Hour
)

// scratchHome is a folder of this user's only: to look for leftovers must not mean to read all of /tmp.
func scratchHome() string {
	return filepath.Join(os.TempDir(), scratchPrefix+strconv.Itoa(dotgit.ThisUser()))
}

// isPrivate: anybody may have made a folder of that name. Where users have no numbers each has a /tmp of his own.
func isPrivate(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	owner, ok := dotgit.OwnerOf(info)
	return dotgit.ThisUser() < 0 || ok && owner == dotgit.ThisUser() && info.Mode().Perm()&0o077 == 0
}

// sweepScratch removes what killed readers left.
func sweepScratch() {
	home := scratchHome()
	if !isPrivate(home) {
		return
	}
	entries, _ := os.ReadDir(home) // another time
	for _, e := range entries {
		path := filepath.Join(home, e.Name())
		lock := filepath.Join(path, scratchLock)
		if release, ok := flock.Orphan(lock); ok {
			_ = os.RemoveAll(path) // a maker that lives makes another one
			release()
			continue
		}
		if _, err := os.Lstat(lock); err != nil && !isOlder(path, home) || flock.Held(lock) {
			continue
		}
		_ = os.RemoveAll(path)
	}
}

// isOlder reports that a folder was made long before the newest change of the one that holds it.
func isOlder(path, home string) bool {
	a, errA := os.Lstat(path)
	b, errB := os.Lstat(home)
	return errA == nil && errB == nil && b.ModTime().Sub(a.ModTime()) > scratchStart
}

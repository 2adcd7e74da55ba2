package gitstate

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/internal/flock"
	"github.com/git-resume/git-resume/internal/proc"
)

// guard is the mark of a writing process: a locked file that names the lock files
// which a git child of ours would leave if it were killed.
// Children inherit the lock, so that it is free only when all of them are gone:
// then, and only then, is a lock file that it names proven to be nobody's.
type guard struct {
	lock *flock.Lock
	path string
}

func (r *Repo) guardDir() string { return r.CommonPath("resume", "writing") }

// writing makes the mark before the first write, after clearing what dead writers left.
func (r *Repo) writing() (*guard, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.guard != nil {
		return r.guard, nil
	}
	if err := r.clearDead(); err != nil {
		return nil, err
	}
	var name [6]byte
	_, _ = rand.Read(name[:]) // never fails
	path := filepath.Join(r.guardDir(), hex.EncodeToString(name[:]))
	lock, err := flock.Try(path)
	if err != nil {
		return nil, fmt.Errorf("mark the write: %w", err)
	}
	r.guard = &guard{lock: lock, path: path}
	return r.guard, nil
}

// note names lock files before a child may create them.
func (g *guard) note(locks []string) error {
	if len(locks) == 0 {
		return nil
	}
	if err := g.lock.Write([]byte(strings.Join(locks, "\n") + "\n")); err != nil {
		return fmt.Errorf("mark the write: %w", err)
	}
	return nil
}

// close removes the mark.
func (g *guard) close() {
	_ = os.Remove(g.path)
	_ = g.lock.Release()
}

// dropGuard leaves the mark to whoever writes next if a child was killed under it.
// It must not be written to again: the lock files of the dead child are told by its time.
func (r *Repo) dropGuard(err error) {
	var exit *proc.ExitError
	if !errors.As(err, &exit) || exit.Signal == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.guard != nil {
		_ = r.guard.lock.Release()
		r.guard, r.dropped = nil, true
	}
}

// clearDead moves aside the lock files of writers that are proven dead, and drops their marks.
func (r *Repo) clearDead() error {
	names, err := os.ReadDir(r.guardDir())
	if err != nil {
		return nil
	}
	for _, n := range names {
		path := filepath.Join(r.guardDir(), n.Name())
		if flock.Held(path) {
			continue
		}
		if err := r.clearMark(path); err != nil {
			return err
		}
	}
	return nil
}

// clearMark handles one dead writer's mark. Where a live git process stands in the repository,
// a lock may be that process's, and mark and lock stay as they are.
func (r *Repo) clearMark(path string) error {
	mark, err := os.Stat(path)
	if err != nil {
		return nil
	}
	for lock := range strings.Lines(string(flock.Read(path))) {
		lock = strings.TrimRight(lock, "\n")
		info, err := os.Lstat(lock)
		if err != nil || info.ModTime().Before(mark.ModTime()) || !r.inside(lock) {
			continue
		}
		if r.gitAtWork() {
			return nil
		}
		if err := r.setAside(lock); err != nil {
			return fmt.Errorf("move a dead writer's lock aside: %w", err)
		}
	}
	_ = os.Remove(path) // another writer may have been faster
	return nil
}

func (r *Repo) inside(path string) bool {
	rel, err := filepath.Rel(r.CommonDir, path)
	return err == nil && filepath.IsLocal(rel) && strings.HasSuffix(path, ".lock")
}

// setAside keeps the lock file, out of git's way.
func (r *Repo) setAside(lock string) error {
	dir := r.CommonPath("resume", "trash", "locks")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	var name [4]byte
	_, _ = rand.Read(name[:]) // never fails
	to := filepath.Join(dir, filepath.Base(lock)+"-"+hex.EncodeToString(name[:]))
	err := os.Rename(lock, to)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// gitAtWork reports whether a git process that is not one of ours stands in this repository,
// or whether that cannot be seen.
func (r *Repo) gitAtWork() bool {
	dirs := []string{r.CommonDir, r.GitDir}
	if r.WorkTree != "" {
		dirs = append(dirs, r.WorkTree)
	}
	at, known := proc.Table{}.At(dirs)
	if !known {
		return true
	}
	for _, p := range at {
		if len(p.Args) > 0 && isGit(p.Args[0]) {
			return true
		}
	}
	return false
}

func isGit(argv0 string) bool {
	name := strings.TrimSuffix(filepath.Base(argv0), ".exe")
	return name == "git" || strings.HasPrefix(name, "git-") && name != "git-resume"
}

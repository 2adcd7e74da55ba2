package guard

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-resume/git-resume/internal/dotgit"
	"github.com/git-resume/git-resume/internal/flock"
	"github.com/git-resume/git-resume/internal/proc"
)

// Mark is the mark file of a writing process. It lists the lock files and temporary files that would be left behind if the process or its
// git was killed. The mark file is locked while the process or one of its children uses it. So if it is unlocked, nobody uses the listed
// files any more.
type Mark struct {
	lock *flock.Lock
	path string
	root string // the paths of git's files in the mark file are relative to root, so that they stay valid if the repository is moved

	mu     sync.Mutex
	synced bool
	calls  [][]string // the lines of the mark file; each inner list has the lines of one call of the method "add"
}

// Dir is a repository's git directory, in which its writers leave their mark files. It is safe for use by several goroutines.
type Dir struct {
	common, git string
	// atWork reports whether a git process that may hold a lock is running in the repository. If we cannot list the processes, it
	// returns true.
	atWork func() bool

	mu   sync.Mutex
	mark *Mark
	// The field "dropped" lists the paths of those mark files of this process that Drop has unlocked. The locks that these files name
	// are cleared later, because a child process may have left them behind.
	dropped []string
}

// New returns the Dir of a worktree. The first argument is the git directory that all worktrees share, the second is the git directory of
// this worktree.
func New(common, git string, atWork func() bool) *Dir {
	return &Dir{common: common, git: git, atWork: atWork}
}

func (r *Dir) path(elem ...string) string {
	return filepath.Join(append([]string{r.common}, elem...)...)
}

// TablesLock is the lock file that git creates when it changes a list of reftables.
const TablesLock = "tables.list.lock"

// markSize is the number of random bytes in the name of a mark file.
const markSize = 6

// guardPatience is the longest time that we wait while another process makes or clears mark files. This normally takes only a moment.
const guardPatience = time.Minute

func (r *Dir) marksDir() string { return r.path("resume", "writing") }

// Writing returns this process's mark file. If there is none yet, it first clears the leftovers of dead writers and then makes the file. It
// must be called before the first write.
//
// Only one process at a time may make a mark file. Otherwise another process could see the new file before it is locked, and think that its
// writer is dead. Only one process at a time may clear leftovers. Otherwise a second process could remove a newer lock at the same path.
func (r *Dir) Writing() (*Mark, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mark != nil {
		return r.mark, nil
	}
	turn, err := flock.WaitFor(r.marksDir()+".lock", guardPatience)
	if err != nil {
		return nil, fmt.Errorf("cannot record that a write has started: %w", err)
	}
	defer turn.Release()
	r.awaitDropped()
	if err := r.clearDead(); err != nil {
		return nil, err
	}
	var name [markSize]byte
	_, _ = rand.Read(name[:]) // rand.Read never fails
	path := filepath.Join(r.marksDir(), hex.EncodeToString(name[:]))
	lock, err := flock.Try(path)
	if err != nil {
		return nil, fmt.Errorf("cannot record that a write has started: %w", err)
	}
	r.mark = &Mark{lock: lock, path: path, root: r.common}
	return r.mark, nil
}

// File returns the locked file. A child process that inherits the file keeps the mark file locked.
func (g *Mark) File() *os.File { return g.lock.File() }

// Path returns the path of the mark file.
func (g *Mark) Path() string { return g.path }

// Note adds lock files to the mark file before a child process creates them. The returned function removes them from the mark file. Note
// leaves out a lock file that already exists, because it belongs to another process. It also leaves out a path that isLockName refuses.
func (g *Mark) Note(locks []string) (done func(), err error) {
	var names []string
	for _, lock := range locks {
		rel, err := filepath.Rel(g.root, lock)
		if _, there := os.Lstat(lock); err == nil && there != nil && isLockName(rel) {
			names = append(names, rel)
		}
	}
	if len(names) == 0 {
		return func() {}, nil
	}
	return g.add(names)
}

// add durably writes lines into the mark file. Before a lock is created, add must be called for it. Otherwise a power failure could leave
// a lock that no mark file lists, and nobody would clear it. The returned function removes the lines.
func (g *Mark) add(lines []string) (forget func(), err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.calls = append(g.calls, lines)
	if err := errors.Join(g.save(), g.sync()); err != nil {
		return nil, fmt.Errorf("cannot record that a write has started: %w", err)
	}
	return func() { g.forget(lines) }, nil
}

// forget removes the lines that one call of add wrote. Two calls may write equal lines, so forget compares the addresses of the lists.
func (g *Mark) forget(names []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.calls = slices.DeleteFunc(g.calls, func(c []string) bool { return &c[0] == &names[0] })
	_ = g.save() // if this fails, the lines stay in the mark file, which does no harm
}

func (g *Mark) save() error {
	var b strings.Builder
	for _, names := range g.calls {
		b.WriteString(strings.Join(names, "\n") + "\n")
	}
	return g.lock.Write([]byte(b.String()))
}

// sync makes the mark file's content durable, and on the first call also its directory entry.
func (g *Mark) sync() error {
	if err := dotgit.SyncOpen(g.lock.File()); err != nil || g.synced {
		return err
	}
	g.synced = true
	return dotgit.SyncDir(filepath.Dir(g.path))
}

func (g *Mark) close() {
	_ = os.Remove(g.path)
	_ = g.lock.Release()
}

// dropPatience is the longest time that we wait for a mark file after Drop has unlocked it. A child process that is just starting may
// keep it locked for a moment longer.
const dropPatience = time.Second

// Drop unlocks a mark file, so that the locks that it lists can be cleared. It is called if a child process may have left locks behind.
func (r *Dir) Drop(g *Mark) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = g.lock.Release()
	r.dropped = append(r.dropped, g.path)
	if r.mark == g {
		r.mark = nil
	}
}

// Close removes the mark file of this process. If Drop has unlocked other mark files of this process, Close also clears the locks and
// temporary files that they list.
func (r *Dir) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mark != nil {
		r.mark.close()
		r.mark = nil
	}
	if len(r.dropped) > 0 {
		r.awaitDropped()
		r.ClearDead()
	}
}

// awaitDropped waits until no child process keeps the mark files in r.dropped locked, at most dropPatience for each. Only then can the
// locks that these files list be cleared. The caller holds r.mu.
func (r *Dir) awaitDropped() {
	for _, path := range r.dropped {
		flock.Freed(path, dropPatience)
	}
}

// LeftLocks reports whether a child process that failed may have left its locks: it was killed, it could not remove them, or we do not
// know how it ended. git reports a killed child of its own as "error: branch died of signal 9" and a file that it could not remove as
// "unable to unlink '…'".
func LeftLocks(err error) bool {
	var exit *proc.ExitError
	return err != nil && (!errors.As(err, &exit) || exit.Signal != "" || strings.Contains(exit.Stderr, "died of signal") || SaysLeft(exit.Stderr))
}

// SaysLeft reports whether git warned that it could not remove a file, which may be a lock. git may report success in spite of this.
func SaysLeft(stderr string) bool { return strings.Contains(stderr, "unable to unlink") }

// ClearDead clears what dead writers left behind. It is meant for callers that write nothing. A writer does the same before its first
// write.
func (r *Dir) ClearDead() {
	marks, _ := os.ReadDir(r.marksDir()) // if the folder does not exist, there are no mark files
	dead := func(e os.DirEntry) bool { return !flock.Held(filepath.Join(r.marksDir(), e.Name())) }
	if !slices.ContainsFunc(marks, dead) { // no writer is dead, so at most scratch folders were left behind
		sweepScratch()
		return
	}
	turn, err := flock.WaitFor(r.marksDir()+".lock", guardPatience)
	if err != nil {
		return
	}
	defer turn.Release()
	_ = r.clearDead() // after an error the next writer tries again
}

// clearDead calls clearMark for the mark file of each dead writer. It also removes temporary folders and scratch folders that nobody uses.
func (r *Dir) clearDead() error {
	entries, err := os.ReadDir(r.marksDir())
	if err != nil {
		return nil
	}
	var dead []string
	living, held := map[string]bool{}, map[string]bool{}
	for _, e := range entries {
		path := filepath.Join(r.marksDir(), e.Name())
		if !flock.Held(path) {
			dead = append(dead, path)
			continue
		}
		held[e.Name()] = true
		for _, name := range r.namedLocks(path) {
			living[name] = true
		}
	}
	r.sweepDirs(held)
	sweepScratch()
	for _, path := range dead {
		if err := r.clearMark(path, living); err != nil {
			return fmt.Errorf("move the lock of a dead process aside: %w", err)
		}
	}
	return nil
}

// MarkedLocks returns the paths of the lock files that are listed in mark files. Other code must leave these lock files alone: the process
// that made them may still hold them, and if it is dead, the next writer moves them aside.
func (r *Dir) MarkedLocks() map[string]bool {
	ours := map[string]bool{}
	entries, _ := os.ReadDir(r.marksDir()) // if the folder does not exist, there are no mark files
	for _, e := range entries {
		for _, name := range r.namedLocks(filepath.Join(r.marksDir(), e.Name())) {
			ours[r.path(name)] = true
		}
	}
	return ours
}

// namedLocks returns the lock files that a mark file lists. If one of them locks the list of reftables, namedLocks adds the locks of
// single reftables. git creates these when it merges reftables, and their names cannot be known beforehand.
func (r *Dir) namedLocks(path string) []string {
	var names []string
	for line := range strings.Lines(string(flock.Read(path))) {
		name := strings.TrimSuffix(line, "\n")
		if !isLockName(name) {
			continue
		}
		names = append(names, name)
		if dir, isList := strings.CutSuffix(name, TablesLock); isList {
			entries, _ := os.ReadDir(r.path(dir)) // the folder is missing if there are no reftables
			for _, e := range entries {
				if strings.HasSuffix(e.Name(), ".ref.lock") {
					names = append(names, filepath.Join(dir, e.Name()))
				}
			}
		}
	}
	return names
}

// isLockName accepts only relative names of git's lock files, and "packed-refs.new", which git writes while it holds "packed-refs.lock". It
// refuses our own locks, which are below "resume". If such a lock file were moved away, two processes could hold the lock at the same time.
func isLockName(name string) bool {
	first, _, _ := strings.Cut(filepath.ToSlash(filepath.Clean(name)), "/")
	return name == "packed-refs.new" || filepath.IsLocal(name) && strings.HasSuffix(name, ".lock") && !strings.Contains(name, "\n") && first != dotgit.Own
}

// IsGitLock reports whether a path is one of git's locks in this repository. No folder on the way to the lock may be a symbolic link. If
// the repository comes from an archive, it may contain forged mark files, which list paths of locks, and any symbolic links. They must not
// make us touch a file outside the repository.
func (r *Dir) IsGitLock(path string) bool {
	for _, root := range []string{r.common, r.git} {
		name, err := filepath.Rel(root, path)
		if err == nil && isLockName(name) {
			info, err := os.Lstat(path)
			return err == nil && !info.IsDir() && hasNoLinks(root, filepath.Dir(name))
		}
	}
	return false
}

// hasNoLinks reports whether every part of a relative path below root is a folder and not a link.
func hasNoLinks(root, way string) bool {
	at := root
	for part := range strings.SplitSeq(filepath.ToSlash(way), "/") {
		at = filepath.Join(at, part)
		if info, err := os.Lstat(at); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// clearMark clears the leftovers that a dead writer's mark file lists, and then removes the mark file. If a lock may belong to a living
// process, clearMark keeps both the lock and the mark file.
func (r *Dir) clearMark(path string, living map[string]bool) error {
	if err := errors.Join(sweepTemps(string(flock.Read(path))), r.sweepParts(path)); err != nil {
		return err
	}
	for _, name := range r.namedLocks(path) {
		lock := r.path(name)
		seen, err := os.Lstat(lock)
		if err != nil || !r.IsGitLock(lock) {
			continue
		}
		if living[name] || r.atWork() {
			return nil
		}
		// Move only the lock that existed before we listed the processes. A newer lock at the same path may belong to a process that
		// started later.
		again, err := os.Lstat(lock)
		if err != nil || !os.SameFile(seen, again) || !seen.ModTime().Equal(again.ModTime()) {
			return nil
		}
		if _, err := r.setAside(lock); err != nil {
			return err
		}
	}
	_ = os.Remove(path) // nothing that the mark file lists is left to clear
	return nil
}

// setAside moves a lock file out of git's way and returns its new path, or "" if the lock is gone.
func (r *Dir) setAside(lock string) (string, error) {
	dir := r.path(dotgit.Own, "trash", "locks")
	if err := dotgit.MkdirAll(dir); err != nil {
		return "", err
	}
	var name [4]byte
	_, _ = rand.Read(name[:]) // rand.Read never fails
	to := filepath.Join(dir, filepath.Base(lock)+"-"+hex.EncodeToString(name[:]))
	err := os.Rename(lock, to)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	return to, err
}

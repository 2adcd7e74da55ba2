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

// Mark is the mark of a writing process: a locked file that names the lock files
// which our git child would leave if it were killed.
// Children inherit the lock on the mark, so it is free only when all of them are gone:
// only then is it proven that a lock file which the mark names belongs to nobody.
type Mark struct {
	lock *flock.Lock
	path string
	root string // names are relative to root, because the repository may be moved and may have several paths

	mu     sync.Mutex
	synced bool
	calls  [][]string // what each running call may leave behind
}

// Dir is the folder of a repository in which its writers leave their marks.
// It is safe for use by several goroutines.
type Dir struct {
	common, git string
	// atWork reports that a git process which may hold a lock works in the repository, or that this cannot be seen.
	atWork func() bool

	mu   sync.Mutex
	mark *Mark
	// dropped are marks under which a child was killed and whose leftovers are not cleared yet.
	dropped []string
}

// New returns the Dir for a worktree: common is the folder that all worktrees share, git is the worktree's own.
func New(common, git string, atWork func() bool) *Dir {
	return &Dir{common: common, git: git, atWork: atWork}
}

func (r *Dir) path(elem ...string) string {
	return filepath.Join(append([]string{r.common}, elem...)...)
}

// TablesLock is the file that git locks to change a list of tables.
const TablesLock = "tables.list.lock"

// markSize is the number of random bytes in the name of a mark.
const markSize = 6

// guardPatience is how long we wait for another process to release the list of marks, which normally takes moments.
const guardPatience = time.Minute

func (r *Dir) marksDir() string { return r.path("resume", "writing") }

// Writing clears what dead writers left, and then makes this process's mark, before the first write.
// Only one process does so at a time: a mark that is not locked yet would look like a dead writer's,
// and if two processes cleared the same lock, the second could take a lock that appeared meanwhile.
func (r *Dir) Writing() (*Mark, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mark != nil {
		return r.mark, nil
	}
	turn, err := flock.WaitFor(r.marksDir()+".lock", guardPatience)
	if err != nil {
		return nil, fmt.Errorf("mark the write: %w", err)
	}
	defer turn.Release()
	r.awaitDropped()
	if err := r.clearDead(); err != nil {
		return nil, err
	}
	var name [markSize]byte
	_, _ = rand.Read(name[:]) // never fails
	path := filepath.Join(r.marksDir(), hex.EncodeToString(name[:]))
	lock, err := flock.Try(path)
	if err != nil {
		return nil, fmt.Errorf("mark the write: %w", err)
	}
	r.mark = &Mark{lock: lock, path: path, root: r.common}
	return r.mark, nil
}

// File is the locked file; a child that inherits it keeps the mark locked.
func (g *Mark) File() *os.File { return g.lock.File() }

// Path is where the mark lies.
func (g *Mark) Path() string { return g.path }

// Note names lock files in the mark before a child may create them; done removes the names afterwards.
// A lock that already exists belongs to somebody else and is not named.
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

// add writes lines into the mark before the files that they name can exist; forget removes the lines.
// The lines are on the disk when add returns: a lock file that survived a power cut without its mark would never be cleared.
func (g *Mark) add(lines []string) (forget func(), err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.calls = append(g.calls, lines)
	if err := errors.Join(g.save(), g.sync()); err != nil {
		return nil, fmt.Errorf("mark the write: %w", err)
	}
	return func() { g.forget(lines) }, nil
}

// forget removes the names of one call, which is recognized by the address of its list.
func (g *Mark) forget(names []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.calls = slices.DeleteFunc(g.calls, func(c []string) bool { return &c[0] == &names[0] })
	_ = g.save() // a superfluous name does no harm
}

func (g *Mark) save() error {
	var b strings.Builder
	for _, names := range g.calls {
		b.WriteString(strings.Join(names, "\n") + "\n")
	}
	return g.lock.Write([]byte(b.String()))
}

// sync makes the mark's content durable and, the first time, its name too.
func (g *Mark) sync() error {
	if err := dotgit.SyncOpen(g.lock.File()); err != nil || g.synced {
		return err
	}
	g.synced = true
	return dotgit.SyncDir(filepath.Dir(g.path))
}

// close removes the mark.
func (g *Mark) close() {
	_ = os.Remove(g.path)
	_ = g.lock.Release()
}

// dropPatience is how long a child that is just being started may hold a mark that we released and that it should not have inherited.
const dropPatience = time.Second

// Drop leaves a mark to the next writer, because a child was killed under it.
func (r *Dir) Drop(g *Mark) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = g.lock.Release()
	r.dropped = append(r.dropped, g.path)
	if r.mark == g {
		r.mark = nil
	}
}

// Close removes the mark of this process, and clears the marks that it dropped.
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

// awaitDropped waits until the marks that we dropped are seen to be free: what a killed child left
// must block neither our own next write nor the next command. The caller holds r.mu.
func (r *Dir) awaitDropped() {
	for _, path := range r.dropped {
		flock.Freed(path, dropPatience)
	}
}

// LeftLocks reports whether a child may have left its locks: it was killed, or was not allowed to remove them.
// git says so for its own children, "error: branch died of signal 9", and for its files, "unable to unlink '…'".
func LeftLocks(err error) bool {
	var exit *proc.ExitError
	return err != nil && (!errors.As(err, &exit) || exit.Signal != "" || strings.Contains(exit.Stderr, "died of signal") || SaysLeft(exit.Stderr))
}

// SaysLeft reports whether git warned of a lock that it was not allowed to remove; git may still report success.
func SaysLeft(stderr string) bool { return strings.Contains(stderr, "unable to unlink") }

// ClearDead moves aside the lock files of writers that are proven dead, as every writer does before its first write.
// It serves callers that find that they have nothing left to write.
func (r *Dir) ClearDead() {
	marks, _ := os.ReadDir(r.marksDir()) // an error means that nobody ever wrote
	dead := func(e os.DirEntry) bool { return !flock.Held(filepath.Join(r.marksDir(), e.Name())) }
	if !slices.ContainsFunc(marks, dead) { // without a dead mark there is no need to wait for our turn
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

// clearDead moves aside the lock files of writers that are proven dead, and removes their marks.
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
			return fmt.Errorf("move a dead writer's lock aside: %w", err)
		}
	}
	return nil
}

// MarkedLocks lists the lock files, by path, that our writers have marked. A living writer may hold them,
// and the next writer moves those of a dead one aside, so nobody else needs to care about them.
func (r *Dir) MarkedLocks() map[string]bool {
	ours := map[string]bool{}
	entries, _ := os.ReadDir(r.marksDir()) // an error means that nobody ever wrote
	for _, e := range entries {
		for _, name := range r.namedLocks(filepath.Join(r.marksDir(), e.Name())) {
			ours[r.path(name)] = true
		}
	}
	return ours
}

// namedLocks lists the lock files that a mark names. A git that may write a list of tables may also merge tables,
// with a lock on each of them; one of these locks has a name that nobody knows beforehand.
func (r *Dir) namedLocks(path string) []string {
	var names []string
	for line := range strings.Lines(string(flock.Read(path))) {
		name := strings.TrimSuffix(line, "\n")
		if !isLockName(name) {
			continue
		}
		names = append(names, name)
		if dir, isList := strings.CutSuffix(name, TablesLock); isList {
			entries, _ := os.ReadDir(r.path(dir)) // an error means that there are no tables
			for _, e := range entries {
				if strings.HasSuffix(e.Name(), ".ref.lock") {
					names = append(names, filepath.Join(dir, e.Name()))
				}
			}
		}
	}
	return names
}

// isLockName accepts only lock files inside the repository, and the one file that git writes beside its lock.
// The locks below "resume" are our own and are never moved: a process that holds one would no longer keep others out.
func isLockName(name string) bool {
	first, _, _ := strings.Cut(filepath.ToSlash(filepath.Clean(name)), "/")
	return name == "packed-refs.new" || filepath.IsLocal(name) && strings.HasSuffix(name, ".lock") && !strings.Contains(name, "\n") && first != dotgit.Own
}

// IsGitLock reports whether a path is one of git's locks in this repository, with no link on the way to it.
// A repository from an archive may hold any mark and any link; these must not lead us to a file that lies elsewhere.
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

// hasNoLinks reports whether every part of a relative path below root is a folder and none is a link.
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

// clearMark clears what one dead writer's mark names, and removes the mark.
// If a lock may belong to a living writer, both the lock and the mark stay as they are.
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
		// Look again: the lock that we saw before we checked the processes is nobody's, but a newer one may belong to somebody.
		again, err := os.Lstat(lock)
		if err != nil || !os.SameFile(seen, again) || !seen.ModTime().Equal(again.ModTime()) {
			return nil
		}
		if _, err := r.setAside(lock); err != nil {
			return err
		}
	}
	_ = os.Remove(path) // everything that the mark names is gone
	return nil
}

// setAside moves a lock file out of git's way, and returns its new path.
func (r *Dir) setAside(lock string) (string, error) {
	dir := r.path(dotgit.Own, "trash", "locks")
	if err := dotgit.MkdirAll(dir); err != nil {
		return "", err
	}
	var name [4]byte
	_, _ = rand.Read(name[:]) // never fails
	to := filepath.Join(dir, filepath.Base(lock)+"-"+hex.EncodeToString(name[:]))
	err := os.Rename(lock, to)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	return to, err
}

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
// which a git child of ours would leave if it were killed.
// Children inherit the lock, so that it is free only when all of them are gone:
// then, and only then, is a lock file that it names proven to be nobody's.
type Mark struct {
	lock *flock.Lock
	path string
	root string // names are relative to it: the repository may be moved, and have several names

	mu     sync.Mutex
	synced bool
	calls  [][]string // what each call under way may leave behind
}

// Dir is the place in a repository where its writers leave their marks.
// It is safe for use by several goroutines.
type Dir struct {
	common, git string
	// atWork reports that a git process which may hold a lock works in the repository, or that this cannot be seen.
	atWork func() bool

	mu   sync.Mutex
	mark *Mark
	// dropped are marks under which a child was killed: what it left is not cleared yet.
	dropped []string
}

// New is the place of one worktree's repository: common is the folder that all worktrees share, git the worktree's own.
func New(common, git string, atWork func() bool) *Dir {
	return &Dir{common: common, git: git, atWork: atWork}
}

func (r *Dir) path(elem ...string) string {
	return filepath.Join(append([]string{r.common}, elem...)...)
}

// TablesLock is what git locks to change a list of tables.
const TablesLock = "tables.list.lock"

// markSize is how many bytes of chance make the name of a mark.
const markSize = 6

// guardPatience is how long somebody else may keep the list of marks, which takes moments.
const guardPatience = time.Minute

func (r *Dir) marksDir() string { return r.path("resume", "writing") }

// writing makes the mark before the first write, after clearing what dead writers left.
// One process at a time does so: a mark that is not locked yet would pass for a dead one's,
// and of two who clear the same lock the second could take one that has come since.
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

// File is the locked file; a child that inherits it keeps the mark alive.
func (g *Mark) File() *os.File { return g.lock.File() }

// Path is where the mark lies.
func (g *Mark) Path() string { return g.path }

// Note names lock files before a child may create them; done takes the names back after it.
// A lock that is there already is another's, and is not named.
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

// add writes lines into the mark before what they name can be there; forget takes them back.
// They are durable then: a lock file that outlives a power cut without its mark would be nobody's for ever.
func (g *Mark) add(lines []string) (forget func(), err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.calls = append(g.calls, lines)
	if err := errors.Join(g.save(), g.sync()); err != nil {
		return nil, fmt.Errorf("mark the write: %w", err)
	}
	return func() { g.forget(lines) }, nil
}

// forget takes back the names of one call, which is told by its own list.
func (g *Mark) forget(names []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.calls = slices.DeleteFunc(g.calls, func(c []string) bool { return &c[0] == &names[0] })
	_ = g.save() // a name too many is harmless
}

func (g *Mark) save() error {
	var b strings.Builder
	for _, names := range g.calls {
		b.WriteString(strings.Join(names, "\n") + "\n")
	}
	return g.lock.Write([]byte(b.String()))
}

// sync makes the mark durable, and once its name too.
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

// dropPatience is how long a child that is being started may hold a mark that we let go of, and that it was not meant to have.
const dropPatience = time.Second

// Drop leaves a mark to whoever writes next: a child was killed under it.
func (r *Dir) Drop(g *Mark) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = g.lock.Release()
	r.dropped = append(r.dropped, g.path)
	if r.mark == g {
		r.mark = nil
	}
}

// Close removes the mark of this process, and clears what it dropped.
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

// awaitDropped waits until marks that we dropped can be seen to be free: what a killed child left
// must stop neither our own next write nor the next command. r.mu is held.
func (r *Dir) awaitDropped() {
	for _, path := range r.dropped {
		flock.Freed(path, dropPatience)
	}
}

// LeftLocks reports that a child may have left its locks: it did not end by itself, or was not let remove them.
// git tells so of its own children in words, "error: branch died of signal 9", and of its files: "unable to unlink '…'".
func LeftLocks(err error) bool {
	var exit *proc.ExitError
	return err != nil && (!errors.As(err, &exit) || exit.Signal != "" || strings.Contains(exit.Stderr, "died of signal") || SaysLeft(exit.Stderr))
}

// SaysLeft: git warns of a lock that it was not let remove, and may call its work done all the same.
func SaysLeft(stderr string) bool { return strings.Contains(stderr, "unable to unlink") }

// ClearDead puts aside the lock files of writers that are proven dead, as every writer does before its first write:
// for those who find that there is nothing left to write.
func (r *Dir) ClearDead() {
	marks, _ := os.ReadDir(r.marksDir()) // none: nobody ever wrote
	dead := func(e os.DirEntry) bool { return !flock.Held(filepath.Join(r.marksDir(), e.Name())) }
	if !slices.ContainsFunc(marks, dead) { // nor is there a turn to wait for
		sweepScratch()
		return
	}
	turn, err := flock.WaitFor(r.marksDir()+".lock", guardPatience)
	if err != nil {
		return
	}
	defer turn.Release()
	_ = r.clearDead() // the next writer tries again
}

// clearDead moves aside the lock files of writers that are proven dead, and drops their marks.
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
		for _, name := range r.marked(path) {
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

// MarkedLocks are the lock files of writers of ours, by their paths: a living one may hold them,
// and those of a dead one are moved aside by whoever writes next. To nobody else are they of interest.
func (r *Dir) MarkedLocks() map[string]bool {
	ours := map[string]bool{}
	entries, _ := os.ReadDir(r.marksDir()) // where nobody ever wrote there is none
	for _, e := range entries {
		for _, name := range r.marked(filepath.Join(r.marksDir(), e.Name())) {
			ours[r.path(name)] = true
		}
	}
	return ours
}

// marked are the lock files that a mark names. Who may write a list of tables may also unite tables,
// under a lock on each; one of those has a name that nobody knows beforehand.
func (r *Dir) marked(path string) []string {
	var names []string
	for line := range strings.Lines(string(flock.Read(path))) {
		name := strings.TrimSuffix(line, "\n")
		if !isLockName(name) {
			continue
		}
		names = append(names, name)
		if dir, isList := strings.CutSuffix(name, TablesLock); isList {
			entries, _ := os.ReadDir(r.path(dir)) // none: there are no tables
			for _, e := range entries {
				if strings.HasSuffix(e.Name(), ".ref.lock") {
					names = append(names, filepath.Join(dir, e.Name()))
				}
			}
		}
	}
	return names
}

// isLockName holds a mark to lock files inside the repository, and to the one file that git writes beside its lock.
// Below "resume" there are locks of ours, which are never moved: whoever holds one would no longer keep others out.
func isLockName(name string) bool {
	first, _, _ := strings.Cut(filepath.ToSlash(filepath.Clean(name)), "/")
	return name == "packed-refs.new" || filepath.IsLocal(name) && strings.HasSuffix(name, ".lock") && !strings.Contains(name, "\n") && first != dotgit.Own
}

// isGitLock reports whether a path is a lock of git's in this repository, with no link on the way to it.
// A repository that was unpacked may hold any mark, and any link: it must not lead us to a file that lies elsewhere.
func (r *Dir) IsGitLock(path string) bool {
	for _, root := range []string{r.common, r.git} {
		name, err := filepath.Rel(root, path)
		if err == nil && isLockName(name) {
			info, err := os.Lstat(path)
			return err == nil && !info.IsDir() && isPlain(root, filepath.Dir(name))
		}
	}
	return false
}

// isPlain reports whether all parts of a way below a folder are folders, and none is a link.
func isPlain(root, way string) bool {
	at := root
	for part := range strings.SplitSeq(filepath.ToSlash(way), "/") {
		at = filepath.Join(at, part)
		if info, err := os.Lstat(at); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// clearMark handles one dead writer's mark.
// Where the lock may be a living writer's, lock and mark stay as they are.
func (r *Dir) clearMark(path string, living map[string]bool) error {
	if err := errors.Join(sweepTemps(string(flock.Read(path))), r.sweepParts(path)); err != nil {
		return err
	}
	for _, name := range r.marked(path) {
		lock := r.path(name)
		seen, err := os.Lstat(lock)
		if err != nil || !r.IsGitLock(lock) {
			continue
		}
		if living[name] || r.atWork() {
			return nil
		}
		// Look again: the lock that was seen before the processes is nobody's; one that came since may be.
		again, err := os.Lstat(lock)
		if err != nil || !os.SameFile(seen, again) || !seen.ModTime().Equal(again.ModTime()) {
			return nil
		}
		if _, err := r.setAside(lock); err != nil {
			return err
		}
	}
	_ = os.Remove(path) // it names nothing that is left
	return nil
}

// setAside keeps the lock file, out of git's way, and says where.
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

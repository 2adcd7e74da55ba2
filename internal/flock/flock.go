// Package flock holds advisory locks on files that are never unlinked.
//
// The kernel releases such a lock when its holder dies, however it dies;
// therefore neither the age of the file nor a pid in it decides whether the lock is held.
// The package does not know what the locks are for.
package flock

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/git-resume/git-resume/internal/dotgit"
)

// ErrHeld says that somebody else holds the lock.
var ErrHeld = errors.New("lock is held")

// Lock is a held lock; its file must stay open as long as the lock is needed.
type Lock struct {
	f    *os.File
	path string
	// lent says that a child may have inherited the lock on purpose, and keeps it when we release it.
	lent atomic.Bool
}

// tries is how often Try asks, a few milliseconds apart: a process that only checks (Held) holds a shared lock for a moment,
// and a child that is being started keeps a lock that was just released until it runs its own program.
const tries = 10

// Try takes the lock at once or returns ErrHeld.
func Try(path string) (*Lock, error) {
	for i := 1; ; i++ {
		l, err := lock(path, false)
		if i == tries || !errors.Is(err, ErrHeld) {
			return l, err
		}
		time.Sleep(3 * time.Millisecond)
	}
}

// Make creates a lock file that is already held when its name appears: if nobody holds such a file,
// the process that made it is gone. No other process may make a lock file of the same name.
func Make(path string) (*Lock, error) {
	made := making(path)
	f, err := dotgit.Create(made)
	if err != nil {
		return nil, err
	}
	err = lockFile(f, true) // only a process that checks the lock can hold it, for a moment
	if err == nil {
		if err = os.Rename(made, path); err == nil {
			return &Lock{f: f, path: path}, nil
		}
	}
	_ = f.Close()
	_ = os.Remove(made)
	if runtime.GOOS == "windows" {
		return Try(path) // on Windows, an open file cannot be renamed
	}
	return nil, err
}

// making returns the temporary name of a lock file that is not held yet.
func making(path string) string { return path + ".new" }

// Orphan takes the lock of a file that Make has created but neither locked nor renamed: most often its maker is dead.
// A maker that is alive waits in Make until release is called, and fails there if its file is gone by then.
func Orphan(path string) (release func(), ok bool) {
	f, err := openForReading(making(path))
	if err != nil {
		return nil, false
	}
	if err := lockFile(f, false); err != nil {
		_ = f.Close()
		return nil, false
	}
	if _, err := os.Lstat(path); err == nil { // it has its final name by now
		_ = f.Close()
		return nil, false
	}
	return func() { _ = f.Close() }, true
}

// StuckError says that a lock that should be held only for moments was not free for a long time.
type StuckError struct {
	Path string
	// PID is the process that holds the lock; 0 if that cannot be seen.
	PID    int
	Waited time.Duration
}

func (e *StuckError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("lock '%s' has been held for %s", e.Path, e.Waited)
	}
	return fmt.Sprintf("process %d has held lock '%s' for %s", e.PID, e.Path, e.Waited)
}

// WaitFor waits for the lock, with a limit: otherwise a holder that was stopped (SIGSTOP, a debugger) would stop everybody.
func WaitFor(path string, limit time.Duration) (*Lock, error) {
	l, err := lock(path, false)
	if !errors.Is(err, ErrHeld) {
		return l, err
	}
	type answer struct {
		lock *Lock
		err  error
	}
	got := make(chan answer, 1)
	go func() { // the kernel serves waiting processes in turn; a process that only asks repeatedly may never get the lock
		l, err := lock(path, true)
		got <- answer{l, err}
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case a := <-got:
		return a.lock, a.err
	case <-timer.C:
	}
	go func() {
		if a := <-got; a.lock != nil {
			_ = a.lock.Release() // too late
		}
	}()
	return nil, &StuckError{Path: path, PID: holder(path), Waited: limit}
}

func lock(path string, wait bool) (*Lock, error) {
	for {
		f, err := open(path)
		if err != nil {
			return nil, err
		}
		if err := lockFile(f, wait); err != nil {
			_ = f.Close()
			return nil, err
		}
		// Check again: the file may have been removed while we waited,
		// and a lock on a file without a name excludes nobody.
		if same(f, path) {
			return &Lock{f: f, path: path}, nil
		}
		_ = f.Close()
	}
}

// errNoFile says that something else is in the place of a lock file.
var errNoFile = errors.New("it is not a file")

// open follows no symbolic link: the holder of a lock writes into its file, which must not be another file.
func open(path string) (*os.File, error) {
	if err := dotgit.Plain(filepath.Dir(path)); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|dotgit.NoFollow, 0)
	for range mostTries {
		if !errors.Is(err, os.ErrNotExist) {
			break
		}
		if f, err = dotgit.Create(path); errors.Is(err, os.ErrExist) { // somebody else was faster, or there is a dangling link
			f, err = os.OpenFile(path, os.O_RDWR|dotgit.NoFollow, 0)
		} else if errors.Is(err, os.ErrNotExist) {
			if err := dotgit.MkdirAll(filepath.Dir(path)); err != nil {
				return nil, err
			}
		}
	}
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return nil, &os.PathError{Op: "lock", Path: path, Err: errors.Join(err, errNoFile)}
	}
	return f, nil
}

// mostTries limits how often a lock file, or its folder, may appear or disappear while we open it.
const mostTries = 100

func same(f *os.File, path string) bool {
	a, errA := f.Stat()
	b, errB := os.Stat(path)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// openForReading opens a lock file for reading; if there is a named pipe in its place, it does not wait for a writer.
func openForReading(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|dotgit.NoFollow, 0)
}

// Held reports whether anybody holds the lock; it creates no file.
// A lock that cannot be examined counts as held, because only proof may say that it is free.
func Held(path string) bool {
	f, err := openForReading(path)
	if errors.Is(err, os.ErrNotExist) {
		return false
	}
	if err != nil {
		return true
	}
	defer f.Close()
	return probe(f)
}

// Freed waits, up to a limit, until nobody holds the lock, and reports whether it is free.
// It is for a lock that this process has just released: between fork and exec a child holds everything
// that its parent had open, so the lock looks held for that moment, which is long on a busy machine.
func Freed(path string, limit time.Duration) bool {
	over := time.After(limit)
	for Held(path) {
		select {
		case <-over:
			return false
		case <-time.After(3 * time.Millisecond):
		}
	}
	return true
}

// Write replaces the text in the lock file, which says who holds the lock.
func (l *Lock) Write(text []byte) error {
	if err := l.f.Truncate(0); err != nil {
		return fmt.Errorf("write lock file: %w", err)
	}
	if _, err := l.f.WriteAt(text, 0); err != nil {
		return fmt.Errorf("write lock file: %w", err)
	}
	return nil
}

// Read returns the text in a lock file, at most 64 KiB; nil if there is no file.
func Read(path string) []byte {
	f, err := openForReading(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, 1<<16))
	return text
}

// File returns the open lock file, for a child that will inherit the lock.
func (l *Lock) File() *os.File {
	l.lent.Store(true)
	return l.f
}

// Intact reports whether the lock still excludes others:
// it no longer does if somebody removed or replaced the lock file.
func (l *Lock) Intact() bool { return same(l.f, l.path) }

// Release releases the lock; the file stays. A child that was started with File keeps its share.
// Any other child has the file open only between fork and exec, and must not make the lock look held for that moment.
func (l *Lock) Release() error {
	if !l.lent.Load() {
		unlock(l.f)
	}
	return l.f.Close()
}

// Package flock holds advisory locks on files. The kernel releases such a lock at the latest when the last process that holds it has ended.
// Therefore neither the age of the file nor a pid in it decides whether the lock is held.
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

// NoLocksError says that the file system cannot lock files, so that nothing shows whether another process holds a lock.
type NoLocksError struct {
	Path string
	Err  error
}

func (e *NoLocksError) Error() string {
	return fmt.Sprintf("cannot lock '%s', because its file system has no working locks: %v", e.Path, e.Err)
}

func (e *NoLocksError) Unwrap() error { return e.Err }

// Lock is a held lock. Its file must stay open as long as the lock is needed.
type Lock struct {
	f    *os.File
	path string
	// lent is true if we may have passed the lock on to a child process on purpose. Such a child keeps the lock after we release it.
	lent atomic.Bool
}

// tries is how often Try tries to get the lock, a few milliseconds apart.
// A lock can look busy for a moment, because Held is checking it or because a child process has just been started.
const tries = 10

// Try takes the lock. If it is held, Try tries again for some milliseconds and then returns ErrHeld.
func Try(path string) (*Lock, error) {
	for i := 1; ; i++ {
		l, err := lock(path, false)
		if i == tries || !errors.Is(err, ErrHeld) {
			return l, err
		}
		time.Sleep(3 * time.Millisecond)
	}
}

// Make creates a lock file that is already locked when its name appears. So if nobody holds the lock, the process that made the file has
// released the lock or has ended. The callers must make sure that only one process makes a file of this name. On Windows, the file appears
// before it is locked.
func Make(path string) (*Lock, error) {
	made := temporaryPath(path)
	f, err := dotgit.Create(made)
	if err != nil {
		return nil, err
	}
	err = lockFile(f, true) // waits only for a moment, because other processes take this lock only to check it
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

// temporaryPath returns the temporary name that Make gives to a lock file before the file is locked.
func temporaryPath(path string) string { return path + ".new" }

// Orphan locks a temporary file that Make has created but not renamed. Usually the process that called Make was killed. If that process is
// alive, it waits for the lock until release is called; if the file was deleted meanwhile, Make then fails. ok is false if there is no such
// file, or if another process holds its lock.
func Orphan(path string) (release func(), ok bool) {
	f, err := openForReading(temporaryPath(path))
	if err != nil {
		return nil, false
	}
	if err := lockFile(f, false); err != nil {
		_ = f.Close()
		return nil, false
	}
	if _, err := os.Lstat(path); err == nil { // the function Make has already given the file its final name
		_ = f.Close()
		return nil, false
	}
	return func() { _ = f.Close() }, true
}

// StuckError says that a lock was held for a long time although it should be held only for moments.
type StuckError struct {
	Path string
	// PID is the process that holds the lock, or 0 if it is unknown.
	PID    int
	Waited time.Duration
}

func (e *StuckError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("lock '%s' is still held after %s of waiting", e.Path, e.Waited)
	}
	return fmt.Sprintf("process %d still holds lock '%s' after %s of waiting", e.PID, e.Path, e.Waited)
}

// WaitFor waits for the lock. If it does not get the lock within the limit, it returns a *StuckError. Without a limit, a stopped holder
// (SIGSTOP, a debugger) would block everybody else.
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
	go func() { // wait in the kernel, which serves waiting processes in turn; a process that only polls may never get the lock
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
			_ = a.lock.Release() // the lock came after the limit
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
		// Check the file again: it may have been deleted while we waited. A lock on a deleted file excludes nobody.
		if same(f, path) {
			return &Lock{f: f, path: path}, nil
		}
		_ = f.Close()
	}
}

// errNoFile says that a lock file's path is not a regular file.
var errNoFile = errors.New("not a regular file")

// open opens a lock file and, except on Windows, follows no symbolic link. The holder of a lock writes into the file, so a link could
// damage another file.
func open(path string) (*os.File, error) {
	if err := dotgit.Plain(filepath.Dir(path)); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|dotgit.NoFollow, 0)
	for range mostTries {
		if !errors.Is(err, os.ErrNotExist) {
			break
		}
		if f, err = dotgit.Create(path); errors.Is(err, os.ErrExist) { // another process has just created the file, or the path is a dangling link
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

// mostTries limits how often we try again when a lock file or its folder appears or disappears while we open it.
const mostTries = 100

func same(f *os.File, path string) bool {
	a, errA := f.Stat()
	b, errB := os.Stat(path)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// openForReading opens a lock file for reading. If the path is a named pipe, it does not wait for a writer.
func openForReading(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|dotgit.NoFollow, 0)
}

// Held reports whether anybody holds the lock. It never creates the lock file. A lock that cannot be checked counts as
// held, because a lock must not be called free without proof.
func Held(path string) bool { return Check(path) != nil }

// Check returns ErrHeld if somebody holds the lock, and another error if that cannot be checked. Like Held, it never creates the lock file.
func Check(path string) error {
	f, err := openForReading(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return probe(f)
}

// Freed waits until nobody holds the lock, up to a limit, and reports whether the lock is free.
// Use it after releasing a lock: a child that was just started may keep the lock busy for a moment, until it calls exec.
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

// Write replaces the text in the lock file, which describes the holder of the lock.
func (l *Lock) Write(text []byte) error {
	if err := l.f.Truncate(0); err != nil {
		return fmt.Errorf("write lock file: %w", err)
	}
	if _, err := l.f.WriteAt(text, 0); err != nil {
		return fmt.Errorf("write lock file: %w", err)
	}
	return nil
}

// Read returns the text in a lock file, at most 64 KiB, or nil if the file cannot be opened.
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

// Intact reports whether the lock still excludes others. It returns false if somebody has deleted or replaced the lock file.
func (l *Lock) Intact() bool { return same(l.f, l.path) }

// Release releases the lock but does not delete the file. If the method File was called, a child process that inherited the open file still
// holds the lock.
func (l *Lock) Release() error {
	if !l.lent.Load() {
		unlock(l.f)
	}
	return l.f.Close()
}

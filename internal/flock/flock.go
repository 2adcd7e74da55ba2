// Package flock holds advisory locks on files that are never unlinked.
//
// The kernel releases such a lock when its holder dies, however it dies;
// that is why neither age nor a pid in the file decides.
// The package does not know what the locks mean.
package flock

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/git-resume/git-resume/internal/dotgit"
)

// ErrHeld says that somebody else holds the lock.
var ErrHeld = errors.New("lock is held")

// Lock is a held lock; its file stays open as long as the lock is wanted.
type Lock struct {
	f    *os.File
	path string
}

// tries is how often Try asks, some milliseconds apart: somebody who merely looks (Held) holds a shared lock for a moment,
// and a child that is being started keeps a lock that was just released until it runs its own program.
const tries = 10

// Try takes the lock at once or answers ErrHeld.
func Try(path string) (*Lock, error) {
	for i := 1; ; i++ {
		l, err := take(path, false)
		if i == tries || !errors.Is(err, ErrHeld) {
			return l, err
		}
		time.Sleep(3 * time.Millisecond)
	}
}

// Make makes a lock file that is held before its name is there:
// whoever finds one that nobody holds knows that its maker is gone. Nobody else may make one of the same name.
func Make(path string) (*Lock, error) {
	made := making(path)
	f, err := dotgit.Create(made)
	if err != nil {
		return nil, err
	}
	err = lockFile(f, true) // nobody but a looker can have it, for a moment
	if err == nil {
		if err = os.Rename(made, path); err == nil {
			return &Lock{f, path}, nil
		}
	}
	_ = f.Close()
	_ = os.Remove(made)
	if runtime.GOOS == "windows" {
		return Try(path) // a file that is open keeps its name there
	}
	return nil, err
}

// making is the name of a lock file that is not held yet.
func making(path string) string { return path + ".new" }

// Orphan takes a lock file whose maker has not come to give it its name, and is not about to hold it: most often it is dead.
// One that lives waits in Make until release is called, and fails there if its file is gone by then.
func Orphan(path string) (release func(), ok bool) {
	f, err := look(making(path))
	if err != nil {
		return nil, false
	}
	if err := lockFile(f, false); err != nil {
		_ = f.Close()
		return nil, false
	}
	if _, err := os.Lstat(path); err == nil { // it has its name by now
		_ = f.Close()
		return nil, false
	}
	return func() { _ = f.Close() }, true
}

// StuckError says that a lock which is held for moments only was not free for a long time.
type StuckError struct {
	Path string
	// PID is the process that holds it; 0 where that cannot be seen.
	PID    int
	Waited time.Duration
}

func (e *StuckError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("lock '%s' has been held for %s", e.Path, e.Waited)
	}
	return fmt.Sprintf("process %d has held lock '%s' for %s", e.PID, e.Path, e.Waited)
}

// WaitFor is Wait with a limit: a holder that was stopped (SIGSTOP, a debugger) would else stop everybody.
func WaitFor(path string, limit time.Duration) (*Lock, error) {
	l, err := take(path, false)
	if !errors.Is(err, ErrHeld) {
		return l, err
	}
	type answer struct {
		lock *Lock
		err  error
	}
	got := make(chan answer, 1)
	go func() { // who waits in the kernel is served in turn; who asks again and again may never be
		l, err := take(path, true)
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

func take(path string, wait bool) (*Lock, error) {
	for {
		f, err := open(path)
		if err != nil {
			return nil, err
		}
		if err := lockFile(f, wait); err != nil {
			_ = f.Close()
			return nil, err
		}
		// Look again: the file may have been taken away while we waited,
		// and a lock on a file that no name leads to excludes nobody.
		if same(f, path) {
			return &Lock{f, path}, nil
		}
		_ = f.Close()
	}
}

// errNoFile says that something else lies in the place of a lock file.
var errNoFile = errors.New("it is not a file")

// open follows no link: whoever holds a lock writes into its file, and that must not be another one.
func open(path string) (*os.File, error) {
	if err := dotgit.Plain(filepath.Dir(path)); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|dotgit.NoFollow, 0)
	for range mostTries {
		if !errors.Is(err, os.ErrNotExist) {
			break
		}
		if f, err = dotgit.Create(path); errors.Is(err, os.ErrExist) { // somebody else was faster, or a link leads to nothing
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

// mostTries is how often a lock file, or its folder, may come or go while it is opened.
const mostTries = 100

func same(f *os.File, path string) bool {
	a, errA := f.Stat()
	b, errB := os.Stat(path)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// look opens a lock file to read it; where a pipe lies in its place nobody waits for a writer.
func look(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|dotgit.NoFollow, 0)
}

// Held reports whether anybody holds the lock; it creates no file.
// A lock that cannot be looked at counts as held: only proof says free.
func Held(path string) bool {
	f, err := look(path)
	if errors.Is(err, os.ErrNotExist) {
		return false
	}
	if err != nil {
		return true
	}
	defer f.Close()
	return probe(f)
}

// Freed waits until nobody holds the lock, at most for a while, and reports whether that is so.
// It is for a lock that this process has just let go of: between fork and exec a child holds everything
// that its parent had open, and the lock looks held for that moment, which is long on a busy machine.
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

// Write replaces the text inside the lock file, which says who holds it.
func (l *Lock) Write(text []byte) error {
	if err := l.f.Truncate(0); err != nil {
		return fmt.Errorf("write lock file: %w", err)
	}
	if _, err := l.f.WriteAt(text, 0); err != nil {
		return fmt.Errorf("write lock file: %w", err)
	}
	return nil
}

// Read gives the text inside a lock file, at most 64 KiB; none if there is no file.
func Read(path string) []byte {
	f, err := look(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, 1<<16))
	return text
}

// File is the open lock file, for a child that shall inherit the lock.
func (l *Lock) File() *os.File { return l.f }

// Intact reports whether the lock still excludes others:
// a lock file that was removed or replaced under us no longer does.
func (l *Lock) Intact() bool { return same(l.f, l.path) }

// Release lets go; the file stays.
func (l *Lock) Release() error { return l.f.Close() }

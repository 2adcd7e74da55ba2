//go:build unix

package flock

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

func lockFile(f *os.File, wait bool) error {
	how := unix.LOCK_EX
	if !wait {
		how |= unix.LOCK_NB
	}
	return flock(f, how)
}

func flock(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how); err == nil || !errors.Is(err, unix.EINTR) {
			return refusal(f.Name(), err)
		}
	}
}

// refusal converts an error of the system call. NFS answers ENOLCK if its lock service cannot be reached, and file systems without locks
// answer one of the others.
func refusal(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.EWOULDBLOCK):
		return ErrHeld
	case errors.Is(err, unix.ENOLCK), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.EOPNOTSUPP):
		return &NoLocksError{path, err}
	}
	return fmt.Errorf("lock %s: %w", path, err)
}

// probe returns ErrHeld if somebody holds the lock. It tries a shared lock, so that two processes can check at the same time.
func probe(f *os.File) error {
	err := flock(f, unix.LOCK_SH|unix.LOCK_NB)
	if err == nil {
		unlock(f)
	}
	return err
}

func unlock(f *os.File) { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }

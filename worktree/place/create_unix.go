//go:build unix

package place

import (
	"errors"
	"os"
	"syscall"
)

// Create makes a new regular file and opens it for writing. It fails if something exists at the path. It avoids system calls with which
// os.OpenFile finds out whether the file can be polled, because they cost time if thousands of files are written.
func Create(full string, perm os.FileMode) (*os.File, error) {
	for {
		fd, err := syscall.Open(full, syscall.O_WRONLY|syscall.O_CREAT|syscall.O_EXCL|syscall.O_CLOEXEC, uint32(perm.Perm()))
		switch {
		case err == nil:
			return os.NewFile(uintptr(fd), full), nil
		case !errors.Is(err, syscall.EINTR):
			return nil, &os.PathError{Op: "open", Path: full, Err: err}
		}
	}
}

//go:build unix

package locate

import (
	"io/fs"
	"slices"
	"syscall"
)

// ReadFile reads a whole file with fewer system calls than os.ReadFile, because scanning many worktrees mostly means
// reading small files. It does not wait for a process to write into a named pipe.
func ReadFile(path string) ([]byte, error) {
	fail := func(op string, err error) ([]byte, error) { return nil, &fs.PathError{Op: op, Path: path, Err: err} }
	fd, err := openFile(path)
	if err != nil {
		return fail("open", err)
	}
	defer syscall.Close(fd)
	data := make([]byte, 0, 512)
	for {
		if len(data) == cap(data) {
			data = slices.Grow(data, growBy(fd, len(data)))
		}
		n, err := retryInterrupted(func() (int, error) { return syscall.Read(fd, data[len(data):cap(data)]) })
		if err != nil {
			return fail("read", err)
		}
		if n == 0 {
			return data, nil
		}
		data = data[:len(data)+n]
	}
}

// growBy returns how many bytes to add to the buffer after n bytes were read. It leaves space for the final read, which returns nothing.
func growBy(fd, n int) int {
	var info syscall.Stat_t
	if err := syscall.Fstat(fd, &info); err == nil && info.Size >= int64(n) && info.Size < 1<<30 {
		return int(info.Size) - n + 1
	}
	return n
}

// retryInterrupted repeats a system call that was interrupted by a signal.
func retryInterrupted(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != syscall.EINTR {
			return n, err
		}
	}
}

// ReadInto reads the beginning of a file into the buffer with three system calls, and returns how many bytes it read.
func ReadInto(path string, buf []byte) (int, error) {
	fd, err := openFile(path)
	if err != nil {
		return 0, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer syscall.Close(fd)
	n, err := retryInterrupted(func() (int, error) { return syscall.Read(fd, buf) })
	if err != nil {
		return 0, &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return n, nil
}

// openFile opens a file without waiting, even if it is a named pipe.
func openFile(path string) (int, error) {
	return retryInterrupted(func() (int, error) {
		return syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	})
}

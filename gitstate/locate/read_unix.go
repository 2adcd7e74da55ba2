//go:build unix

package locate

import (
	"io/fs"
	"slices"
	"syscall"
)

// ReadFile is os.ReadFile with four system calls instead of ten, because scanning many worktrees mostly consists of reading files.
// A pipe in the place of a file reads as empty, so that nobody waits for its writer.
func ReadFile(path string) ([]byte, error) {
	fail := func(op string, err error) ([]byte, error) { return nil, &fs.PathError{Op: op, Path: path, Err: err} }
	fd, err := retryInterrupted(func() (int, error) {
		return syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	})
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

// growBy is how much room to add after n bytes were read: enough for the rest of the file and the empty read at its end.
func growBy(fd, n int) int {
	var info syscall.Stat_t
	if err := syscall.Fstat(fd, &info); err == nil && info.Size >= int64(n) && info.Size < 1<<30 {
		return int(info.Size) - n + 1
	}
	return n
}

// retryInterrupted repeats a system call that a signal interrupted.
func retryInterrupted(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != syscall.EINTR {
			return n, err
		}
	}
}

package gitstate

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/git-resume/git-resume/gitstate/object"
)

// errNoFile is the error for a path that is not a regular file.
var errNoFile = errors.New("not a regular file")

// ReadUpTo reads a regular file of at most the given number of bytes. For a larger file, the error wraps an
// *object.TooLargeError. Anything but a regular file gives an error too, because reading from a pipe could wait
// forever.
func ReadUpTo(path string, most int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fail := func(err error) ([]byte, error) { return nil, &fs.PathError{Op: "read", Path: path, Err: err} }
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return fail(errNoFile)
	case info.Size() > most:
		return fail(&object.TooLargeError{Size: info.Size()})
	}
	var data bytes.Buffer
	data.Grow(int(info.Size()) + bytes.MinRead) // enough for the whole file, so that the buffer grows only once
	_, err = data.ReadFrom(io.LimitReader(f, most))
	return data.Bytes(), err
}

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

// errNoFile says that something else lies in the place of a file.
var errNoFile = errors.New("it is no file")

// ReadUpTo reads a file of which a sound repository has a small one. What is larger is a *TooLargeError;
// a pipe, at which a reader would wait for ever, is an error too.
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
	data.Grow(int(info.Size()) + bytes.MinRead) // in one piece: a file that does not grow meanwhile is read by one call
	_, err = data.ReadFrom(io.LimitReader(f, most))
	return data.Bytes(), err
}

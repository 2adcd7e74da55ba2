package sources

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// folder is an open folder. Paths are resolved relative to this folder.
type folder struct {
	fd   int
	file *os.File // closing "file" also closes "fd"
}

func openFolder(top string) *folder {
	fd, err := unix.Open(top, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	return &folder{fd, os.NewFile(uintptr(fd), top)}
}

func folderOnce(top string) func() *folder {
	return sync.OnceValue(func() *folder { return openFolder(top) })
}

// The method "below" opens a path. The kernel makes sure that the path does not lead out of the folder. After any error except
// fs.ErrNotExist, the caller must try the slower portable code.
func (f Files) below(path string, flags uint64) (int, error) {
	var top *folder
	if f.names != nil {
		top = f.names.folder()
	} else if top = openFolder(f.Top); top != nil {
		defer top.file.Close()
	}
	if top == nil {
		return -1, errors.ErrUnsupported
	}
	fd, err := unix.Openat2(top.fd, path, &unix.OpenHow{
		Flags: unix.O_RDONLY | unix.O_CLOEXEC | flags, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS})
	runtime.KeepAlive(top)
	if err == unix.ENOENT || err == unix.ENOTDIR {
		err = &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return fd, err
}

// look looks at a path without following a link at its end. It uses one system call where possible, because sources look
// at several hundred paths.
func (f Files) look(path string) (looked, error) {
	if f.names == nil || !filepath.IsLocal(path) {
		return f.lookByName(path)
	}
	top := f.names.folder()
	if top == nil {
		return f.lookByName(path)
	}
	var info unix.Stat_t
	err := unix.Fstatat(top.fd, path, &info, unix.AT_SYMLINK_NOFOLLOW)
	runtime.KeepAlive(top)
	if err != nil {
		return looked{}, err // callers find out with errors.Is(err, fs.ErrNotExist) that the path is missing; ENOENT satisfies this too
	}
	return looked{info.Mode&unix.S_IFMT == unix.S_IFDIR, info.Size, time.Unix(info.Mtim.Unix())}, nil
}

// quick tries to read a regular file with few system calls. If done is false, the caller must use the slower portable
// code.
func (f Files) quick(path string) (data []byte, done bool, err error) {
	fd, err := f.below(path, unix.O_NONBLOCK) // O_NONBLOCK, because opening a pipe would otherwise wait for a writer
	if err != nil {
		return nil, errors.Is(err, fs.ErrNotExist), err
	}
	defer unix.Close(fd)
	var info unix.Stat_t
	if unix.Fstat(fd, &info) != nil || info.Mode&unix.S_IFMT != unix.S_IFREG || info.Size > MaxFile {
		return nil, false, nil
	}
	data = make([]byte, info.Size+1)
	n, err := unix.Read(fd, data)
	if err != nil || int64(n) != info.Size {
		return nil, false, nil
	}
	return data[:n], true, nil
}

func (f Files) openDir(dir string) (*os.File, error) {
	fd, err := f.below(dir, unix.O_DIRECTORY)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err != nil:
		return f.openDirByRoot(dir)
	}
	return os.NewFile(uintptr(fd), filepath.Join(f.Top, dir)), nil // pass the full path, because File.ReadDir uses it to look up the entries
}

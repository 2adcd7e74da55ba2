package sessions

import (
	"io/fs"
	"os"
	"syscall"
)

// openQuietly opens no link, because the path is known to be a regular file or a folder only when it is looked at without following it.
func openQuietly(path string) (*os.File, error) {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() && !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: syscall.ERROR_FILE_NOT_FOUND}
	}
	return os.Open(path)
}

func openDir(path string) (*os.File, error) { return openQuietly(path) }

func ours(fs.FileInfo) bool { return true }

package dotgit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// IsPrivate reports whether a file belongs to this user and nobody else can read or write it. On Windows, it returns true for any file.
func IsPrivate(info fs.FileInfo) bool {
	if runtime.GOOS == "windows" {
		return true // Windows has no such modes
	}
	owner, ok := OwnerOf(info)
	return ok && owner == ThisUser() && info.Mode().Perm()&0o077 == 0
}

// WritePrivate durably replaces a small file with one that only this user can read, even if core.sharedRepository shares the repository.
func WritePrivate(path string, data []byte) error {
	dir := filepath.Dir(path)
	tmp, err := os.CreateTemp(dir, "."+filepath.Base(path)+TempMark()+"-*") // CreateTemp uses mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // if the rename succeeded, the temporary file no longer exists
	_, err = tmp.Write(data)
	if err := errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	return SyncDir(dir)
}

package dotgit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// TempMark returns a suffix for our temporary files. It contains our process id, so that files left by a dead process can be recognized.
func TempMark() string { return ".tmp" + strconv.Itoa(os.Getpid()) }

// SyncDir waits until the names in a directory are on the disk.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return SyncOpen(d)
}

// SyncFiles waits until the given files below a folder are on the disk. It skips everything that is not a regular file, and ignores errors.
func SyncFiles(dir string, paths []string) {
	dirs := map[string]bool{}
	for _, p := range paths {
		path := filepath.Join(dir, filepath.FromSlash(p))
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
			continue
		}
		_ = syncFile(path) // a file that cannot be opened or synced is a problem for its owner, not for us
		dirs[filepath.Dir(path)] = true
	}
	for d := range dirs {
		_ = SyncDir(d)
	}
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(SyncOpen(f), f.Close())
}

// WriteNew writes a file without waiting for the disk.
// Use it only for data that can be computed again, and for files that no other process writes.
func WriteNew(path string, data []byte) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) { // a killed process with the same id may have left the file
		return err
	}
	f, err := Create(path)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// WriteFile durably replaces one of our small files: it writes and syncs a temporary file, renames it, and syncs the directory. An
// existing file keeps its mode, except for the group's permissions if its group cannot be kept.
func WriteFile(path string, data []byte) error {
	dir := filepath.Dir(path)
	if err := MkdirAll(dir); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, "."+filepath.Base(path)+TempMark()+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // if the rename succeeded, the temporary file no longer exists
	if err := AccessOf(path).fill(tmp, data); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	return SyncDir(dir)
}

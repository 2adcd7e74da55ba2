package dotgit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// TempMark is how temporary names of ours end: with the process that made them, so that what it leaves can be told.
func TempMark() string { return ".tmp" + strconv.Itoa(os.Getpid()) }

// SyncDir makes the names in a directory durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return SyncOpen(d)
}

// SyncFiles waits until files below a folder are on the disk, as far as they are there.
func SyncFiles(dir string, paths []string) {
	dirs := map[string]bool{}
	for _, p := range paths {
		path := filepath.Join(dir, filepath.FromSlash(p))
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
			continue
		}
		_ = syncFile(path) // one that cannot be opened or written is its owner's to know
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

// WriteNew writes a file of ours that has a name of its own, without waiting for the disk: for what can be derived again.
func WriteNew(path string, data []byte) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) { // a killed process of the same number may have left it
		return err
	}
	f, err := Create(path)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// WriteFile replaces a small file of ours durably: temporary file, sync, rename, sync of the directory.
// One that is there keeps its mode.
func WriteFile(path string, data []byte) error {
	dir := filepath.Dir(path)
	if err := MkdirAll(dir); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, "."+filepath.Base(path)+TempMark()+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // gone already when all went well
	if err := AccessOf(path).fill(tmp, data); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	return SyncDir(dir)
}

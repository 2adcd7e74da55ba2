//go:build !linux

package dotgit

import (
	"io/fs"
	"path/filepath"
)

// Durable waits until everything that was written below some folders is on the disk.
// git syncs what it records, but not the files that it checks out: after a power failure these would exist but be empty.
func Durable(dirs ...string) error {
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir():
				return SyncDir(path)
			case d.Type().IsRegular():
				return syncFile(path)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

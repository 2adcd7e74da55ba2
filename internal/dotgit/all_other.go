//go:build !linux

package dotgit

import (
	"io/fs"
	"path/filepath"
)

// Durable waits until everything that was written below the given folders is on the disk. With our settings, git syncs objects and refs,
// but not the files that it checks out. After a power failure, the checked-out files could exist but be empty.
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

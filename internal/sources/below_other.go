//go:build !linux

package sources

import (
	"io/fs"
	"os"
)

type folder struct{}

func folderOnce(string) func() *folder { return nil }

// quick only detects that a file is missing, which is the most frequent case. A file that cannot be looked at counts as missing.
func (f Files) quick(path string) (data []byte, done bool, err error) {
	if f.Has(path) {
		return nil, false, nil
	}
	return nil, true, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
}

func (f Files) look(path string) (looked, error) { return f.lookByName(path) }

func (f Files) openDir(dir string) (*os.File, error) { return f.openDirByRoot(dir) }

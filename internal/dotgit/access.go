package dotgit

import (
	"errors"
	"io/fs"
	"os"
)

// Access says who may do what with a file.
type Access struct {
	Mode fs.FileMode
	// was is the file that is replaced, if one is; shared: the repository shares it, whatever group it has.
	was    fs.FileInfo
	shared bool
}

// AccessOf is that of a file, or that of a new one.
func AccessOf(path string) Access {
	sharing := SharingOf(path)
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
		return Access{info.Mode().Perm(), info, sharing != Sharing{}}
	}
	return Access{Mode: sharing.File(0o666 &^ Umask())}
}

// Make makes a file that has it; nobody else can open it before.
func (a Access) Make(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return a.fill(f, data)
}

func (a Access) fill(f *os.File, data []byte) error {
	_, err := f.Write(data)
	mode := a.Mode
	if a.was != nil && !keepOwner(f, a.was) && !a.shared {
		mode &^= 0o070 // what its group may do is not meant for ours
	}
	return errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
}

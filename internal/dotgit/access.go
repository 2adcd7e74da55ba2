package dotgit

import (
	"errors"
	"io/fs"
	"os"
)

// Access holds the permissions of a file.
type Access struct {
	Mode fs.FileMode
	// The field "replaced" describes the old file that the new file replaces, or is nil. The field "shared" is true if
	// core.sharedRepository requires certain permissions for the file.
	replaced fs.FileInfo
	shared   bool
}

// AccessOf returns the permissions of an existing file, or the permissions that a new file must get.
func AccessOf(path string) Access {
	sharing := SharingOf(path)
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
		return Access{info.Mode().Perm(), info, sharing != Sharing{}}
	}
	return Access{Mode: sharing.File(0o666 &^ Umask())}
}

// Make creates a file with these permissions. Until they are set, only this user can open the file.
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
	if a.replaced != nil && !keepOwner(f, a.replaced) && !a.shared {
		mode &^= 0o070 // remove the group's permissions, because the new file has another group than the old one
	}
	return errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
}

//go:build unix

package dotgit

import (
	"io/fs"
	"os"
	"syscall"
)

// OwnerOf returns the id of the user who owns a file. The result ok is false if info does not contain an owner.
func OwnerOf(info fs.FileInfo) (user int, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(st.Uid), true
}

// keepOwner gives a new file the owner and the group of the file that it replaces, as far as the system permits that. It reports whether
// the new file has the old file's group, and returns true if that group is not known.
func keepOwner(f *os.File, was fs.FileInfo) bool {
	old, ok := was.Sys().(*syscall.Stat_t)
	if !ok {
		return true
	}
	_ = f.Chown(int(old.Uid), -1) // only root may give a file to another user
	_ = f.Chown(-1, int(old.Gid))
	info, err := f.Stat()
	if err != nil {
		return false
	}
	now, ok := info.Sys().(*syscall.Stat_t)
	return ok && now.Gid == old.Gid
}

func ThisUser() int { return os.Geteuid() }

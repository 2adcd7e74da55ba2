package proc

import "golang.org/x/sys/unix"

// IsLocal reports whether a path is certainly on a file system that only this machine uses.
func IsLocal(path string) bool {
	var fs unix.Statfs_t
	return unix.Statfs(path, &fs) == nil && fs.Flags&unix.MNT_LOCAL != 0
}

//go:build unix

package dotgit

import "golang.org/x/sys/unix"

// NoFollow makes it an error to open a symbolic link.
const NoFollow = unix.O_NOFOLLOW

// Touch gives a file the present time, as git marks an object that it would have written again.
func Touch(path string) error { return unix.Utimes(path, nil) }

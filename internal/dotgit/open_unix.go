//go:build unix

package dotgit

import "golang.org/x/sys/unix"

// NoFollow makes it an error to open a symbolic link.
const NoFollow = unix.O_NOFOLLOW

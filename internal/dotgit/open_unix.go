//go:build unix

package dotgit

import "golang.org/x/sys/unix"

// NoFollow makes it an error to open a symbolic link.
const NoFollow = unix.O_NOFOLLOW

// Touch sets the time of a file to now. Git does the same to an object that exists already, instead of writing the object again.
func Touch(path string) error { return unix.Utimes(path, nil) }

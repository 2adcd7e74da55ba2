package refs

import "syscall"

const (
	errIsDir  = syscall.Errno(5) // "access denied" is the error for opening a directory as a file
	errNotDir = syscall.ERROR_PATH_NOT_FOUND
)

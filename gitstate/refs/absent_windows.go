package refs

import "syscall"

const (
	errIsDir  = syscall.Errno(5) // opening a directory as a file fails with "access denied"
	errNotDir = syscall.ERROR_PATH_NOT_FOUND
)

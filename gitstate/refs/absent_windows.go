package refs

import "syscall"

const (
	errIsDir  = syscall.Errno(1) // a directory can be opened, and reading it fails with ERROR_INVALID_FUNCTION
	errNotDir = syscall.ERROR_PATH_NOT_FOUND
)

package refs

import "syscall"

const (
	errIsDir  = syscall.Errno(5) // access denied: what opening a directory as a file gives
	errNotDir = syscall.ERROR_PATH_NOT_FOUND
)

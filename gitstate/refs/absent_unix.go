//go:build unix

package refs

import "syscall"

const (
	errIsDir  = syscall.EISDIR
	errNotDir = syscall.ENOTDIR
)

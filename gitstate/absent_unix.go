//go:build unix

package gitstate

import "syscall"

const (
	errIsDir  = syscall.EISDIR
	errNotDir = syscall.ENOTDIR
)

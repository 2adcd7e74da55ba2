//go:build unix

package worktree

import "syscall"

const errNotDir = syscall.ENOTDIR

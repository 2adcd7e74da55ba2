//go:build unix

package place

import "syscall"

const errNotDir = syscall.ENOTDIR

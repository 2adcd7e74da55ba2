package worktree

import "syscall"

const errNotDir = syscall.ERROR_PATH_NOT_FOUND

package place

import "syscall"

const errNotDir = syscall.ERROR_PATH_NOT_FOUND

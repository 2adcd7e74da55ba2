//go:build unix

package gitstate

import (
	"os"
	"sync"
	"syscall"
)

func syncDir(d *os.File) error { return d.Sync() }

// umask is read once; the only way to read it sets it.
var umask = sync.OnceValue(func() os.FileMode {
	old := syscall.Umask(0o077)
	syscall.Umask(old)
	return os.FileMode(old)
})

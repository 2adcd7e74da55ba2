//go:build unix

package dotgit

import (
	"os"
	"sync"
	"syscall"
)

func SyncOpen(d *os.File) error { return d.Sync() }

// Umask reads the umask only once, because the system returns the umask only when a new one is set.
var Umask = sync.OnceValue(func() os.FileMode {
	old := syscall.Umask(0o077)
	syscall.Umask(old)
	return os.FileMode(old)
})

//go:build unix

package bench

import (
	"os"
	"syscall"
)

// blocks returns the space that a file takes on disk, in bytes. If the system does not say it, the result is the file's length.
func blocks(info os.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Blocks * 512
	}
	return info.Size()
}

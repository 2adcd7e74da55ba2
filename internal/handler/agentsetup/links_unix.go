//go:build unix

package agentsetup

import (
	"io/fs"
	"syscall"
)

// hardLinks returns how many hard links a file has.
func hardLinks(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Nlink)
	}
	return 1
}

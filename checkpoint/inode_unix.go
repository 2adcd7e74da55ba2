//go:build unix

package checkpoint

import (
	"fmt"
	"os"
	"syscall"
)

// inodeOf names a directory by what a move keeps and a copy changes.
func inodeOf(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d:%d", st.Dev, st.Ino)
}

//go:build unix

package gitstate

import (
	"io/fs"
	"os"
	"syscall"
)

// ownerOf is the number of the user to whom a file belongs.
func ownerOf(info fs.FileInfo) (user int, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(st.Uid), true
}

func thisUser() int { return os.Geteuid() }

//go:build unix

package clone

import (
	"fmt"
	"os"
	"syscall"
)

// inodeOf identifies a directory by its inode number. A move or a remount keeps this number, but a copy gets a new one.
func inodeOf(path string) string {
	if st := statOf(path); st != nil {
		return fmt.Sprint(st.Ino)
	}
	return ""
}

// deviceOf returns the device number and a colon, which older versions expect before the inode.
func deviceOf(path string) string {
	if st := statOf(path); st != nil {
		return fmt.Sprintf("%d:", st.Dev)
	}
	return ""
}

func statOf(path string) *syscall.Stat_t {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	st, _ := info.Sys().(*syscall.Stat_t)
	return st
}

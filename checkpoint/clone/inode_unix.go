//go:build unix

package clone

import (
	"fmt"
	"os"
	"syscall"
)

// inodeOf returns the inode number of a directory, or "" if it cannot be read. A renamed directory keeps its number, but a copy gets a new
// one.
func inodeOf(path string) string {
	if st := statOf(path); st != nil {
		return fmt.Sprint(st.Ino)
	}
	return ""
}

// deviceOf returns the device number and a colon. They are stored before the inode, where older versions of git-resume expect them. It
// returns "" if the directory cannot be read.
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

package flock

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// holder finds the process that holds a lock. It looks in the kernel's list of locks. It returns 0 if the lock is not listed.
func holder(path string) int {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	list, err := os.ReadFile("/proc/locks")
	if err != nil {
		return 0
	}
	inode := fmt.Sprintf(":%d", st.Ino)
	for line := range strings.Lines(string(list)) {
		f := strings.Fields(line) // for example "1: FLOCK ADVISORY WRITE 412 08:01:5678 0 EOF"; for a process that still waits, f[1] is "->"
		if len(f) < 6 || f[1] != "FLOCK" || !strings.HasSuffix(f[5], inode) {
			continue
		}
		var pid int
		if _, err := fmt.Sscan(f[4], &pid); err == nil && pid > 0 {
			return pid
		}
	}
	return 0
}

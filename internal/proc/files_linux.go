package proc

import (
	"fmt"
	"os"
	"path/filepath"
)

// OpenFiles lists the paths of the files that a process has open; it is empty where that cannot be seen.
func OpenFiles(pid int) []string {
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	entries, _ := os.ReadDir(dir) // the process may be gone or belong to another user
	var out []string
	for _, e := range entries {
		if to, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil && filepath.IsAbs(to) {
			out = append(out, to)
		}
	}
	return out
}

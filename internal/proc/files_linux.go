package proc

import (
	"fmt"
	"os"
	"path/filepath"
)

// OpenFiles lists the paths of the files that a process has open. The list is empty if the system does not show them.
func OpenFiles(pid int) []string {
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	entries, _ := os.ReadDir(dir) // an error usually means that the process is gone or belongs to another user
	var out []string
	for _, e := range entries {
		if to, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil && filepath.IsAbs(to) {
			out = append(out, to)
		}
	}
	return out
}

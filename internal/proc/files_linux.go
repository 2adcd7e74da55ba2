package proc

import (
	"fmt"
	"os"
	"path/filepath"
)

// OpenFiles are the files that a process has open, by their paths; none where that cannot be seen.
func OpenFiles(pid int) []string {
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	entries, _ := os.ReadDir(dir) // it may be gone, or another's
	var out []string
	for _, e := range entries {
		if to, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil && filepath.IsAbs(to) {
			out = append(out, to)
		}
	}
	return out
}

package proc

import (
	"os"
	"strconv"
	"strings"
)

// pipesOf are the pipes that a process has as its input, output or output of errors.
func pipesOf(pid int) []string {
	var out []string
	for _, fd := range []string{"0", "1", "2"} {
		if to, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/fd/" + fd); err == nil && strings.HasPrefix(to, "pipe:") {
			out = append(out, to)
		}
	}
	return out
}

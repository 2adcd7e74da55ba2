package proc

import (
	"os"
	"strconv"
	"strings"
)

// pipesOf returns the pipes that are the standard input, output or error output of a process.
func pipesOf(pid int) []string {
	var out []string
	for _, fd := range []string{"0", "1", "2"} {
		if to, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/fd/" + fd); err == nil && strings.HasPrefix(to, "pipe:") {
			out = append(out, to)
		}
	}
	return out
}

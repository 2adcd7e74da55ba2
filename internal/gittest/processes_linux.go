package gittest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Processes returns the ids of the processes of one test, which are recognized by the variable HOME in their environment.
func Processes(home string) (pids []int) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		env, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || !strings.Contains("\x00"+string(env), "\x00HOME="+home+"\x00") {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

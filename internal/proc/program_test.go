package proc

import (
	"os"
	"syscall"
)

// writeProgram writes a program that the test will run. No process is started while the file is open for writing: such a process could
// inherit the open file for a moment, and until then the system refuses to run the program ("text file busy").
func writeProgram(path string, text []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, text, 0o755)
}

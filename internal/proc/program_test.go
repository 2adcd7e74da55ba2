package proc

import (
	"os"
	"syscall"
)

// writeProgram writes a program that the test will run. The system refuses to run a program that some process has open for writing ("text
// file busy"). A process that is started meanwhile would inherit the open file, so writeProgram delays such a start.
func writeProgram(path string, text []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, text, 0o755)
}

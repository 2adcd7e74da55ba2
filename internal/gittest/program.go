package gittest

import (
	"os"
	"syscall"
)

// WriteProgram writes a program that the test will run. No process is started while the file is open for writing, because that process
// would inherit the open file. The system refuses to run a program that any process has open for writing ("text file busy").
func WriteProgram(path string, text []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, text, 0o755)
}

package gittest

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// memoryFolder is a folder of a file system in memory, which Linux provides.
const memoryFolder = "/dev/shm"

// neededSpace is the space that the tests of a package need, and some more for other processes.
const neededSpace = 4 << 30

// quickTemp puts temporary files in memory, where a sync costs nothing. It does so if there is enough space and programs can run there.
// It does not change a TMPDIR that the user has set.
func quickTemp() (remove func()) {
	nothing := func() {}
	var fs syscall.Statfs_t
	if os.Getenv("TMPDIR") != "" || syscall.Statfs(memoryFolder, &fs) != nil || fs.Bavail*uint64(fs.Bsize) < neededSpace {
		return nothing
	}
	dir, err := os.MkdirTemp(memoryFolder, "git-resume-test-")
	if err != nil {
		return nothing
	}
	program := filepath.Join(dir, "program")
	if os.Chmod(dir, 0o755) != nil || WriteProgram(program, []byte("#!/bin/sh\n")) != nil || exec.Command(program).Run() != nil || os.Setenv("TMPDIR", dir) != nil {
		os.RemoveAll(dir)
		return nothing
	}
	return func() { os.RemoveAll(dir) }
}

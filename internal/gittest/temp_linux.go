package gittest

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// memoryFolder is where Linux has a file system that is kept in memory.
const memoryFolder = "/dev/shm"

// neededSpace is the most space that the tests of a package need, with some to spare for other processes.
const neededSpace = 4 << 30

// quickTemp puts the folders of tests in memory, where a sync costs nothing, if there is enough space and programs can be run from there.
// It respects a TMPDIR that the user has set.
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
	if os.Chmod(dir, 0o755) != nil || os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755) != nil || exec.Command(program).Run() != nil || os.Setenv("TMPDIR", dir) != nil {
		os.RemoveAll(dir)
		return nothing
	}
	return func() { os.RemoveAll(dir) }
}

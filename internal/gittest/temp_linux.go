package gittest

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// memory is where Linux has a file system without a disk behind it.
const memory = "/dev/shm"

// roomy is what the tests of a package need at most, with something over for others beside them.
const roomy = 4 << 30

// quickTemp puts the folders of tests where a sync costs nothing, if there is such a place with room, from which programs can be run.
// Whoever has set TMPDIR has chosen.
func quickTemp() (remove func()) {
	nothing := func() {}
	var fs syscall.Statfs_t
	if os.Getenv("TMPDIR") != "" || syscall.Statfs(memory, &fs) != nil || fs.Bavail*uint64(fs.Bsize) < roomy {
		return nothing
	}
	dir, err := os.MkdirTemp(memory, "git-resume-test-")
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

package gittest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// OtherDevice returns a folder on another file system than its argument. The argument is a folder that contains
// a file README. OtherDevice skips the test if there is no other file system.
func OtherDevice(t testing.TB, own string) string {
	t.Helper()
	for _, place := range []string{"/dev/shm", "/tmp", "/var/tmp"} {
		dir, err := os.MkdirTemp(place, "git-resume-test-")
		if err != nil {
			continue
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		if err := os.Link(filepath.Join(own, "README"), filepath.Join(dir, "link")); errors.Is(err, syscall.EXDEV) {
			return dir
		}
	}
	t.Skip("there is no second file system")
	return ""
}

// ListDir returns the names in a folder, separated by blanks.
func ListDir(t testing.TB, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

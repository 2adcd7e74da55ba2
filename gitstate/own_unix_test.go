//go:build unix

package gitstate

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
)

// TestReadUpTo_doesNotWaitAtAPipe checks that reading a named pipe fails at once. A repository from an archive may contain a named pipe in
// place of any file.
func TestReadUpTo_doesNotWaitAtAPipe(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadUpTo(pipe, 4); !errors.Is(err, errNoFile) {
		t.Error(err)
	}
}

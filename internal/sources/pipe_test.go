//go:build unix

package sources

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
)

// Opening a pipe normally waits for a writer. A state file that is a pipe must not block the program.
func TestFiles_doesNotWaitForAPipe(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(top, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	var refused *RefusedError
	if _, err := (Files{Top: top}).Read("pipe"); !errors.As(err, &refused) {
		t.Errorf("a pipe: %v", err)
	}
}

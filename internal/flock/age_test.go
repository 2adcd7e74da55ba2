package flock

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestAge_provesNothing checks that a lock counts as held while its holder is alive, even if the lock file is old.
func TestAge_provesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	l, err := Try(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Release()
	long := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	if err := os.Chtimes(path, long, long); err != nil {
		t.Fatal(err)
	}
	if !Held(path) {
		t.Error("an old lock counts as free")
	}
	if second, err := Try(path); !errors.Is(err, ErrHeld) {
		t.Errorf("an old lock was taken: %v, %v", second, err)
	}
}

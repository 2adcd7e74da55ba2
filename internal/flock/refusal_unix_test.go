//go:build unix

package flock

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Where files cannot be locked, for example on NFS without its lock service, the error says so, and nobody is said to hold the lock.
func TestRefusal(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]string{
		unix.EWOULDBLOCK: "lock is held", unix.ENOLCK: "cannot lock 'x.lock', because its file system has no working locks: no locks available",
		unix.ENOSYS: "has no working locks", unix.EIO: "lock x.lock: input/output error",
	} {
		got := refusal("x.lock", err)
		if got == nil || !strings.Contains(got.Error(), want) {
			t.Errorf("%v: %v", err, got)
		}
		var none *NoLocksError
		if errors.As(got, &none) != (err == unix.ENOLCK || err == unix.ENOSYS) {
			t.Errorf("%v: %T", err, got)
		}
	}
	if refusal("x.lock", nil) != nil {
		t.Error("a lock that was taken is an error")
	}
}

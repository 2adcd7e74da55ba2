package gittest

import (
	"encoding/binary"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// Opens counts how often any process opens a file from now on. The kernel reports this, so no other tool is needed.
// If two processes open the file at the same moment, this may count as one.
func Opens(t testing.TB, path string) (count func() int) {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		t.Fatal(os.NewSyscallError("inotify_init1", err))
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	// Watch close events too. The kernel merges equal events in a row, and a close between two opens keeps them
	// separate.
	if _, err := unix.InotifyAddWatch(fd, path, unix.IN_OPEN|unix.IN_CLOSE); err != nil {
		t.Fatal(os.NewSyscallError("inotify_add_watch", err))
	}
	opens := 0
	return func() int {
		buf := make([]byte, 64<<10)
		for {
			n, err := unix.Read(fd, buf)
			if err == unix.EAGAIN {
				return opens
			}
			if err != nil {
				t.Fatal(os.NewSyscallError("read", err))
			}
			for e := buf[:n]; len(e) >= unix.SizeofInotifyEvent; {
				mask, name := binary.NativeEndian.Uint32(e[4:]), binary.NativeEndian.Uint32(e[12:])
				if mask&unix.IN_Q_OVERFLOW != 0 {
					t.Fatal("too many events to count")
				}
				if mask&unix.IN_OPEN != 0 {
					opens++
				}
				e = e[unix.SizeofInotifyEvent+int(name):]
			}
		}
	}
}

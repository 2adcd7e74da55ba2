package gittest

import (
	"encoding/binary"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// Opens counts how often a file is opened from now on, by whomever: the kernel tells it, so that no tool is needed.
// Two who open it at the same moment may count as one.
func Opens(t testing.TB, path string) (count func() int) {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		t.Fatal(os.NewSyscallError("inotify_init1", err))
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	// Equal events in a row become one; with each close told as well no two opens are in a row.
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

package gittest

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// OpenTerminal makes a terminal of 80 columns and 24 lines. The program under test uses the result "tty". The test types into the result
// "keys", and reads the screen from it too.
func OpenTerminal() (keys, tty *os.File, err error) {
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("open a terminal: %w", err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80})
	}
	if err == nil {
		tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		_ = unix.Close(fd)
		return nil, nil, fmt.Errorf("open a terminal: %w", err)
	}
	return os.NewFile(uintptr(fd), "terminal"), tty, nil
}

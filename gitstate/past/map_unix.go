//go:build unix

package past

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps a file into memory, so that only the used parts are read. The file must never be changed in place.
func mapFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() == 0 || int64(int(info.Size())) != info.Size() {
		return nil, fmt.Errorf("map %s into memory: its size is unknown, zero or too large", path)
	}
	return unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_PRIVATE)
}

func unmapFile(data []byte) { _ = unix.Munmap(data) }

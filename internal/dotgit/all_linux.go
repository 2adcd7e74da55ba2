package dotgit

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Durable waits until everything that was written below the given folders is on the disk. With our settings, git syncs objects and refs,
// but not the files that it checks out. After a power failure, the checked-out files could exist but be empty.
func Durable(dirs ...string) error {
	for _, dir := range dirs {
		d, err := os.Open(dir)
		if err != nil {
			return err
		}
		err = unix.Syncfs(int(d.Fd())) // one call waits for all files of the file system
		_ = d.Close()
		if err != nil {
			return fmt.Errorf("write '%s' to the disk: %w", dir, err)
		}
	}
	return nil
}

package place

import "os"

// Create makes a new regular file and opens it for writing. It fails if something exists at the path.
func Create(full string, perm os.FileMode) (*os.File, error) {
	return os.OpenFile(full, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
}

package clone

import "path/filepath"

// inodeOf returns the path, because this package does not use inodes on Windows. A moved repository then counts as another
// clone, which is safe.
func inodeOf(path string) string { return filepath.ToSlash(path) }

// deviceOf returns "", because on Windows the path is stored without a device number.
func deviceOf(string) string { return "" }

//go:build !linux

package proc

// OpenFiles always returns nil on this system. It is implemented only for Linux.
func OpenFiles(int) []string { return nil }

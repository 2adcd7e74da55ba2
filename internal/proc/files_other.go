//go:build !linux

package proc

// OpenFiles lists the paths of the files that a process has open; it is empty where that cannot be seen.
func OpenFiles(int) []string { return nil }

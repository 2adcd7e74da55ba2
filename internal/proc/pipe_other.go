//go:build !linux

package proc

// pipesOf always returns nil on this system. It is implemented only for Linux.
func pipesOf(int) []string { return nil }

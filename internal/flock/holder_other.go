//go:build !linux

package flock

// holder cannot be seen here.
func holder(string) int { return 0 }

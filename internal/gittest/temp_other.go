//go:build !linux

package gittest

// quickTemp does nothing, because other systems do not always have a file system in memory.
func quickTemp() (remove func()) { return func() {} }

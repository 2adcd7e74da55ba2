//go:build !linux

package gittest

// quickTemp does nothing: other systems have no file system in memory that is always there.
func quickTemp() (remove func()) { return func() {} }

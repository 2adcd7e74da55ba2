//go:build !linux

package gittest

// quickTemp: other systems have no such place that is always there.
func quickTemp() (remove func()) { return func() {} }

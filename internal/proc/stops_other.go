//go:build unix && !linux

package proc

// isStopped is always false: it is implemented only for Linux.
func (g *Group) isStopped() bool { return false }

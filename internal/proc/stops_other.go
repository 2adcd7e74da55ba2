//go:build unix && !linux

package proc

// isStopped is always false on this system. It is implemented only for Linux.
func (g *Group) isStopped() bool { return false }

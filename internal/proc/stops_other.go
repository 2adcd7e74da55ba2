//go:build unix && !linux

package proc

// isStopped is always false. On this system the check could reap the command, and then Wait would not get its exit status.
func (g *Group) isStopped() bool { return false }

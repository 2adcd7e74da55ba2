//go:build unix && !linux

package proc

// isStopped cannot be asked here without taking the news of the command's end from Wait.
func (g *Group) isStopped() bool { return false }

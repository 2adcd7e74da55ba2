//go:build unix && !linux

package proc

// isStopped is always false. Asking this system could consume the notice about the command's end, which Wait needs.
func (g *Group) isStopped() bool { return false }

//go:build unix && !linux

package proc

// isStopped is always false: asking here could also consume the report of the command's end, which Wait needs.
func (g *Group) isStopped() bool { return false }

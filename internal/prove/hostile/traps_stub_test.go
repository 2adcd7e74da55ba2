//go:build linux

package hostile

func traps() []scene { return nil }

//go:build !linux && !darwin && !windows

package proc

func machineID() string { return "" }

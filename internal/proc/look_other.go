//go:build !linux && !darwin && !windows

package proc

import (
	"os"
	"time"
)

// look always fails: it is implemented only for Linux, macOS and Windows. Because here() returns no Boot, FateOf returns Unknown for every process.
func look(int) (Process, bool) { return Process{}, false }

// arguments always returns nil: it is implemented only for Linux, macOS and Windows.
func arguments(int) []string { return nil }

// isHidden is implemented only for Linux. On this system nothing calls it: its caller FateOf needs the id of the last restart, which here()
// does not know.
func isHidden(int) bool { return false }

func here() Host {
	h := Host{}
	h.Name, _ = os.Hostname()
	return h
}

// The functions all() and surroundings() always fail on this system. They are implemented only for Linux.
func all() ([]int, bool)                        { return nil, false }
func surroundings(int) (string, []string, bool) { return "", nil, false }

// age always fails on this system. It is implemented only for Linux.
func age(int) (time.Duration, bool) { return 0, false }

// users always fails on this system. It is implemented only for Linux.
func users(int) ([]int, bool) { return nil, false }

// processesIn always fails on this system. It is implemented only for Linux.
func processesIn([]string) ([]int, bool) { return nil, false }

// isWaiting and writing find nothing on this system. They are implemented only for Linux.
func isWaiting(int) bool     { return false }
func writing([]string) []int { return nil }

// members returns only the group's id, because listing a group is implemented only for Linux. The caller has already checked that the
// group exists.
func members(group int, start string) []int {
	if first, ok := look(group); ok && first.Start != start {
		return nil
	}
	return []int{group}
}

// Holders always returns nil on this system. It is implemented only for Linux.
func Holders(string) []int { return nil }

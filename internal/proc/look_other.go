//go:build !linux && !darwin

package proc

import "os"

// look always fails, because this system does not show other processes. A process that cannot be seen counts as unknown, never as dead.
func look(int) (Process, bool) { return Process{}, false }

// arguments always returns nil, because this system does not show command lines.
func arguments(int) []string { return nil }

// isHidden is always false, because this system shows either all processes or none.
func isHidden(int) bool { return false }

func here() Host {
	h := Host{}
	h.Name, _ = os.Hostname()
	return h
}

// This system does not list its processes or show their directories and environments.
func all() ([]int, bool)                        { return nil, false }
func surroundings(int) (string, []string, bool) { return "", nil, false }

// users always fails, because this system does not show the users of a process.
func users(int) ([]int, bool) { return nil, false }

// processesIn always fails, because this system does not show current directories.
func processesIn([]string) ([]int, bool) { return nil, false }

// This system does not show whether a process is waiting or which files it is writing.
func isWaiting(int) bool     { return false }
func writing([]string) []int { return nil }

// members returns only the group's id, because this system cannot list a group. The caller has already checked that the group exists.
func members(group int, start string) []int {
	if first, ok := look(group); ok && first.Start != start {
		return nil
	}
	return []int{group}
}

// Holders always returns nil, because this system does not show which processes have a file open.
func Holders(string) []int { return nil }

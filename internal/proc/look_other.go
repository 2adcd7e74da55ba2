//go:build !linux && !darwin

package proc

import "os"

// look sees nothing: without proof a process counts as unknown, never as dead.
func look(int) (Process, bool) { return Process{}, false }

// arguments cannot be seen here.
func arguments(int) []string { return nil }

// isHidden is false: every process can be seen here, or none.
func isHidden(int) bool { return false }

func here() Host {
	h := Host{}
	h.Name, _ = os.Hostname()
	return h
}

// all and surroundings cannot be seen here.
func all() ([]int, bool)                        { return nil, false }
func surroundings(int) (string, []string, bool) { return "", nil, false }

// users cannot be seen here.
func users(int) ([]int, bool) { return nil, false }

// standing cannot be seen here.
func standing([]string) ([]int, bool) { return nil, false }

// isWaiting and writing cannot be seen here.
func isWaiting(int) bool     { return false }
func writing([]string) []int { return nil }

// members names the group by its number: that there is one was seen before.
func members(group int, start string) []int {
	if first, ok := look(group); ok && first.Start != start {
		return nil
	}
	return []int{group}
}

// Holders cannot be seen here.
func Holders(string) []int { return nil }

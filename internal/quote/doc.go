// Package quote makes text that others wrote safe to show: on a terminal, on a screen where something is approved,
// and in a command that somebody pastes into a shell.
//
// It knows nothing of runs and screens, and it never runs a command itself.
package quote

// Package quote makes text that others wrote safe to show: on a terminal, on a screen where the user approves something,
// and in a command that the user pastes into a shell.
//
// It knows nothing about runs and screens, and it never runs a command itself.
package quote

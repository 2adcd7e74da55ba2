// Package quote makes foreign text safe to show on a terminal, in a prompt that asks the user to approve something,
// and in a command that the user pastes into a shell.
//
// It knows nothing about runs or prompts, and it never runs a command itself.
package quote

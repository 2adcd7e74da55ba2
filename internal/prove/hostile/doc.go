// Package hostile tests the program in repositories that an attacker prepared. No command in such a repository may run before the user approves it.
// No text in it may control the terminal, and no file outside it may change.
package hostile

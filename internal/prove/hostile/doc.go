// Package hostile tests the program in repositories that an attacker prepared. Commands in such a repository must not run before the user
// approves them, texts must not control the terminal, and files outside of the repository must not change.
package hostile

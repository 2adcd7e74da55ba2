// Package site describes where one user works in one repository: the values that vary between calls of the program,
// and which worktree belongs to which run.
package site

// Package site describes where one user works in one repository: what varies from call to call of the program,
// and which worktree belongs to which run.
package site

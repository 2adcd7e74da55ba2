// Package site is where one user stands in one repository: what varies from call to call of the program,
// and which worktree is whose.
package site

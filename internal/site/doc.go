// Package site holds the environment of one call of the program: the repository, the clock, the processes and the user.
// It also finds the worktree of a run.
package site

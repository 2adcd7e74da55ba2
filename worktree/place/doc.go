// Package place deals with paths around worktrees: what is there, whether two names mean one thing,
// how files and folders come to their place in one step, and that no link of a repository leads out of it.
package place

// Package place handles paths around worktrees: what is at a path, whether two paths are the same, how to put files
// and folders in place in one step, and how to make sure that no link of a repository leads out of it.
package place

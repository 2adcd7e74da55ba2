// Package place handles paths around worktrees: what is at a path, whether two paths are the same, and how to put files and folders in
// place in one step. It also makes sure that no link inside a repository leads out of it.
package place

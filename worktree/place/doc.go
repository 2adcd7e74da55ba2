// Package place handles the paths of worktrees. It compares paths, renames files and folders in one step, and makes sure that no symbolic
// link inside a repository leads out of it.
package place

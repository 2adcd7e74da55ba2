// Package place handles the paths of worktrees. It compares paths, renames files and folders in one step, and makes sure that nothing is
// written through a symbolic link inside a repository.
package place

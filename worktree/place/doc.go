// Package place handles the paths of worktrees. It compares paths, renames files and folders in one step, and finds
// symbolic links inside a repository, through which nothing may be written.
package place

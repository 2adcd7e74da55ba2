// Package place handles the paths of worktrees. It compares paths, and renames files and folders in one step. It also finds symbolic links
// inside a repository, because nothing must be written through them.
package place

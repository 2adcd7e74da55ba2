// Package locate finds the repository of a folder as git would, but only by reading the file system.
//
// It also handles the environment variables that name a repository, and reads the few settings that say where its worktree is.
package locate

// Package resume continues runs: it repairs the worktree, executes tasks and hands work over.
package resume

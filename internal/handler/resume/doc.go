// Package resume continues runs: it brings the worktree into order, executes tasks and hands work over.
package resume

// Package treetest makes repositories with worktrees for tests that save, discard and restore work.
package treetest

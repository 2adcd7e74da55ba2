// Package treetest makes repositories with worktrees in which tests save, discard and restore work.
package treetest

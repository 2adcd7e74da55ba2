// Package treetest makes repositories with worktrees in which tests save, drop and restore work.
package treetest

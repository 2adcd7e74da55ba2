// Package ongoing finds which of git's own operations are in progress in a worktree: how far each of them is,
// what it waits for, and which commands continue or end it.
package ongoing

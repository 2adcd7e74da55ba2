// Package ongoing finds which git operations are in progress in a worktree. For each operation it reads how far it has come, what it is
// waiting for, and which commands continue or end it.
package ongoing

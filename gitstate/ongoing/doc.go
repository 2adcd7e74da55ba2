// Package ongoing finds which git operations are in progress in a worktree. For each operation, the package reads how far the operation has
// come, what it is waiting for, and which commands continue or end it.
package ongoing

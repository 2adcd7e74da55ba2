// Package conflicts tells, before work goes on, where it will hurt:
// what a run changed against what everybody else changed since, line by line.
//
// Two engines give the verdict.
// The git program merges in a temporary store of objects, and its word counts where it can be had.
// The builtin engine models the same merge for a git that cannot: clean, conflict, or cannot tell,
// and what it cannot tell is treated as a conflict.
// The lines are found the same way for both.
//
// The package writes nothing into the repository, fetches nothing, prints nothing and gives no advice.
package conflicts

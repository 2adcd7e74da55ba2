// Package conflicts says, before work continues, where it will conflict:
// it compares what a run changed with what everybody else changed since, line by line.
//
// Two engines can give the verdict.
// The git program merges in a temporary object store, and its verdict counts whenever it is available.
// The builtin engine models the same merge for a git that cannot do this. It answers clean, conflict, or cannot tell,
// and cannot tell is treated as a conflict.
// The conflicting lines are found in the same way for both engines.
//
// The package writes nothing into the repository, fetches nothing, prints nothing and gives no advice.
package conflicts

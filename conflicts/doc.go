// Package conflicts finds out, before work continues, where the work will conflict.
// It compares the changes of a run with the changes of everybody else, line by line.
//
// Two engines can decide. The git program merges in a temporary object store, and its answer is used whenever it is available.
// The builtin engine models the same merge, for versions of git that cannot do this. It answers clean, conflict, or cannot tell.
// Cannot tell is treated as a conflict. The conflicting lines are found in the same way for both engines.
//
// The package writes nothing into the repository, fetches nothing, prints nothing and gives no advice.
package conflicts

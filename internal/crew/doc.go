// Package crew runs several tasks of a run at the same time. Each works in a place of its own, a linked worktree, and its commits are replayed on
// the run's branch when it is done.
package crew

// Package crew runs several tasks of a run at the same time. Each task works in a linked worktree of its own, which is called a place. When
// the task is done, its commits are replayed on the run's branch.
package crew

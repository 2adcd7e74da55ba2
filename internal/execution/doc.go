// Package execution runs the command of one task. It records the start and the result, and in the run's own worktree it commits the files
// that the command changed.
package execution

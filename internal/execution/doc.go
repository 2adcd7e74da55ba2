// Package execution runs the command of one task.
// It records the start and the result, and commits the files that the command changed.
// The task's processes form a process group and hold the task lock until the last of them has ended.
package execution

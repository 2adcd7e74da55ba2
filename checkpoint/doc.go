// Package checkpoint defines runs: the events of a run, the lines that store them, and the state that results from the lines.
// It performs no input or output. Its subpackages store and find runs. docs/FORMAT.md specifies the format.
//
// None of these packages decides whether to continue a run, creates worktrees, or prints anything.
package checkpoint

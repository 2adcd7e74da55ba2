// Package execution runs the command of one task: the intent is recorded before it, the result after it,
// and what it changed is committed with trailers.
//
// The task's processes form a group of their own and hold the task lock as long as one of them lives.
// The package decides neither which task comes next nor what to do about doubt; it prints nothing.
package execution

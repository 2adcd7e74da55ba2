// Package execution runs the command of one task. It records the start before the command and the result after it,
// and commits what the command changed, with trailers.
//
// The task's processes form their own process group, and hold the task lock as long as one of them is alive.
// The package does not decide which task comes next or what to do about an interrupted task. It prints nothing.
package execution

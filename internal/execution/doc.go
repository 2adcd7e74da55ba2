// Package execution runs the command of one task: it records the intent before the command and the result after it,
// and commits what the command changed, with trailers.
//
// The task's processes form a process group of their own and hold the task lock as long as one of them is alive.
// The package does not decide which task comes next or what to do about an interrupted task; it prints nothing.
package execution

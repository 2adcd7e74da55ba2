// Package agentevent records what the hooks of coding agents report.
//
// A report concerns a run only if the run works in the worktree in which the agent works, and it is recorded only if nobody else works on
// the run. A hook never waits for long: a report that cannot be recorded at once goes into the inbox.
package agentevent

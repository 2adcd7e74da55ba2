// Package exchange brings the record of a run to the remote that it is bound to, and back. What comes from the remote is checked before it
// is used, and nothing of it is executed, moves a branch or changes a worktree here.
package exchange

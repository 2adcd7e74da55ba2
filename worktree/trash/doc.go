// Package trash discards the worktree and branch of a run (Discard), restores them (Undo), and finally deletes them after some time
// (Expire). Discard removes only registered worktrees, and only after all their content except ignored files is reachable from a ref.
package trash

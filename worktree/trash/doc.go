// Package trash discards the worktree and branch of a run so that they can be restored (Discard, Undo), and finally deletes what was
// discarded long ago (Expire).
//
// Only Discard removes a worktree. It removes only a registered worktree, and only after its content is reachable from a ref.
package trash

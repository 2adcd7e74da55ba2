// Package trash discards the worktree and branch of a run so that they can be restored (Discard, Undo),
// and deletes for good what was discarded long ago (Expire).
//
// Only Discard removes a tree, only a registered one, and only after its content is reachable from a ref.
package trash

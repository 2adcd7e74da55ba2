// Package trash discards the worktree and branch of a run (Discard), restores them (Undo), and deletes them for good
// after some time (Expire).
package trash

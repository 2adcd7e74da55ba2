// Package trash drops the worktree and branch of a run so that they can be had back (Discard, Undo),
// and forgets what was dropped long ago (Expire).
//
// Only Discard removes a tree, only a registered one, and only after its content is reachable from a ref.
package trash

// Package worktree keeps the staging worktrees of runs, and what is uncommitted in them.
//
// It saves uncommitted work as snapshots (Take) and puts it back (Restore);
// it finds worktrees and says what became of them (Find, Look), makes and mends them (Create, Repair);
// it drops one so that it can be had back (Discard, Undo), and forgets what was dropped long ago (Expire).
// Every one of these may be killed at any moment: the same call made again finishes it.
//
// A snapshot holds the bytes on disk, not what git's filters would make of them,
// and is taken without touching index, HEAD, reflogs or files.
// Only Discard removes a tree, only a registered one, and only after its content is reachable from a ref.
//
// The package knows nothing of journals, plans or owners: whether somebody still works in a tree is told to it,
// and the places where the journal must be written are functions that the caller gives.
// It decides nothing that a person should decide, and prints nothing.
package worktree

// Package worktree keeps the staging worktrees of runs: it finds them and says what became of them (Find, Look),
// makes and mends them (Create, Repair). Its rooms save what is uncommitted in them, and drop them.
// Every one of these may be killed at any moment: the same call made again finishes it.
//
// They know nothing of journals, plans or owners: whether somebody still works in a tree is told to them,
// and the places where the journal must be written are functions that the caller gives.
// They decide nothing that a person should decide, and print nothing.
package worktree

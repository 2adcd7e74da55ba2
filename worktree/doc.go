// Package worktree manages the staging worktrees of runs: it finds them and reports their state (Find, Look),
// creates them and repairs them (Create, Repair). Its subpackages save the uncommitted work in them, and discard them.
// Each of these operations can be killed at any moment: calling it again with the same arguments completes it.
//
// The packages know nothing about journals, plans or owners: the caller says whether somebody still works in a tree,
// and passes functions for the moments at which the journal must be written.
// They make no decision that belongs to a person, and print nothing.
package worktree

// Package worktree manages the staging worktrees of runs. It finds them and reports their state (Find, Look), creates them and repairs
// them (Create, Repair). Its subpackages save the uncommitted work in them, and discard them. Each operation can be killed at any moment:
// calling it again with the same arguments completes it.
//
// The packages know nothing about journals, plans or owners. The caller says whether somebody is still working in a worktree, and passes
// functions that write the journal at the right moments. The packages make no decision that belongs to a person, and print nothing.
package worktree

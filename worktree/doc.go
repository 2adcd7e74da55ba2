// Package worktree manages the worktrees in which runs work. It finds and creates them, and repairs them after a move. Subpackages save the
// uncommitted work in them, and discard them. Each operation can be killed at any moment. Calling it again completes the work.
//
// The packages know nothing about journals, plans or owners. The caller says whether somebody is still working in a worktree, and passes
// functions that write the journal.
package worktree

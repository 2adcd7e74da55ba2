// Package worktree finds, creates and repairs the worktrees in which runs work. Subpackages save the uncommitted work
// in them, and discard them. If an operation is killed, calling it again completes the work. The packages know nothing
// about journals, plans or owners: the caller says whether somebody is still working in a worktree, and passes
// functions that write the journal.
package worktree

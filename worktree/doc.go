// Package worktree finds, creates and repairs the worktrees in which runs work. Subpackages save the uncommitted work in them, and discard
// them. If an operation is killed, it can be called again. These packages do not read journals or plans. Their caller finds out whether
// somebody is still working in a worktree, and passes functions that write to the journal.
package worktree

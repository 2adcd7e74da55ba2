// Package record stores how far the discard of a worktree has come. The next command or an undo can then continue after a kill.
package record

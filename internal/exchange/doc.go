// Package exchange brings the record of a run to the remote that it is bound to, and back. It executes nothing of what comes from a
// remote, and moves no branch and changes no worktree here.
package exchange

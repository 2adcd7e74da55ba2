// Package exchange sends the record of a run to the remote to which the run is bound, and fetches it from there. It executes nothing that
// comes from a remote. It moves no branch and changes no worktree here.
package exchange

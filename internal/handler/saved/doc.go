// Package saved lists the snapshots of runs and of git's own operations, and restores them.
package saved

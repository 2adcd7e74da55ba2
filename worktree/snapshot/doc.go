// Package snapshot saves uncommitted work (Take) and restores it (Restore).
//
// A snapshot contains changed and untracked files byte for byte as they are on disk: git's filters do not change them. Taking a snapshot
// does not touch the index, HEAD, reflogs or files.
package snapshot

// Package snapshot saves uncommitted work (Take) and restores it (Restore).
//
// A snapshot contains the bytes on disk, not the result of git's filters. Taking a snapshot does not touch the index, HEAD, reflogs or
// files.
package snapshot

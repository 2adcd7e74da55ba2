// Package snapshot saves uncommitted work (Take) and puts it back (Restore).
//
// A snapshot holds the bytes on disk, not the result of git's filters,
// and taking one does not touch the index, HEAD, reflogs or files.
package snapshot

// Package snapshot saves uncommitted work (Take) and puts it back (Restore).
//
// A snapshot holds the bytes on disk, not what git's filters would make of them,
// and is taken without touching index, HEAD, reflogs or files.
package snapshot

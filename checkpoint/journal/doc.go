// Package journal stores the journals of runs. A journal is a set of lines in one ref, which is changed only by compare-and-swap. The
// lines of this user are signed.
package journal

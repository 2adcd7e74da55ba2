// Package journal stores the journals of runs. A journal is a set of signed lines in one ref, which is changed only by
// compare-and-swap. Lines that other people published are read but never overwritten.
package journal

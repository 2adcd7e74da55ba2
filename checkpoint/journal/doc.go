// Package journal stores runs. Each run is a journal of signed lines that changes only by compare-and-swap of one ref.
// Lines are on the disk before an append succeeds. Lines that others published are read but never overwritten.
package journal

// Package journal stores runs: each run is a journal of signed lines, which changes only by compare-and-swap of one ref.
// Acknowledged lines are durable; what others published is read and never overwritten.
package journal

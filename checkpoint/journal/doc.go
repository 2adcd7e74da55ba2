// Package journal stores runs: each is a journal of signed lines that moves only by compare-and-swap of one ref.
// What was acknowledged is durable; what was published by others is read and never written over.
package journal

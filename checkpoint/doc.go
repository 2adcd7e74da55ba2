// Package checkpoint keeps the record of runs: events, the state that follows from them,
// and their storage as commit trailers and as a journal of notes.
//
// The stored format is specified in docs/FORMAT.md. A journal moves only by compare-and-swap of one ref;
// what was acknowledged is durable. The package decides nothing about continuing, makes no worktree,
// and prints nothing.
package checkpoint

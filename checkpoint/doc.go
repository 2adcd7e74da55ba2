// Package checkpoint says what a run is: events, the lines that store them, and the state that follows from them.
// It is pure; its inner rooms store and find runs. The format is specified in docs/FORMAT.md.
//
// Neither it nor its rooms decide about continuing, make a worktree, or print anything.
package checkpoint

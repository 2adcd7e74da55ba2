// Package series keeps what belongs to a run as numbered trees behind one ref, and commits in them as plain bytes:
// so they are reachable, and "git log --all" shows none of them.
package series

// Package series keeps the data of a run as numbered trees behind one ref, with commits stored in them as plain bytes:
// so the commits cannot be lost to gc, and "git log --all" shows none of them.
package series

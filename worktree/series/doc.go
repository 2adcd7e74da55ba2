// Package series keeps the data of a run as numbered git trees below one ref. Commits are stored in these trees as plain bytes, so that gc
// does not delete them and "git log --all" does not show them.
package series

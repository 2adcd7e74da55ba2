// Package series saves data of a run as numbered git trees. Each kind of data has its own ref. It saves commits as plain bytes in blobs, so
// that gc does not delete them and "git log --all" does not show them.
package series

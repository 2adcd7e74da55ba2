// Package files manages what a clone stores outside of its refs: which runs are open or closed here, which requests are not completed,
// and which changes people made. Some files can be recomputed; all others are on the disk before anything depends on them.
package files

// Package refs reads refs, from their files where that is possible, and moves them by compare-and-swap through git.
package refs

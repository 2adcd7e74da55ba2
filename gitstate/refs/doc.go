// Package refs reads refs, directly from their files where possible, and moves them through git by compare-and-swap.
package refs

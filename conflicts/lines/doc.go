// Package lines compares texts line by line, as git's merge does:
// it finds what changed between two texts, merges three of them, and finds where a line was in an older text.
//
// It knows nothing about repositories.
package lines

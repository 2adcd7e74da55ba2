// Package lines compares texts line by line, as git's merge does:
// what changed from one to the other, what becomes of three of them, and where a line was in an older text.
//
// It knows nothing of repositories.
package lines

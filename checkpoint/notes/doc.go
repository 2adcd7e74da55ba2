// Package notes stores the lines and documents of a journal as a tree of git notes, and reads such trees whoever made them.
package notes

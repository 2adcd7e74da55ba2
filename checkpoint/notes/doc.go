// Package notes stores the lines and documents of a journal as a tree of git notes. It can read such trees no matter who made them.
package notes

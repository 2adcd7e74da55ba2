// Package candidate finds what can be continued: runs, the work of other systems, and what names mean.
// It has the words in which findings are told; it judges nothing.
package candidate

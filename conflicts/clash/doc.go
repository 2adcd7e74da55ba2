// Package clash defines the words in which an engine describes the result of a merge,
// and what both engines know about two sides that meet at a path.
package clash

// Package clash has the words in which an engine tells what became of a merge,
// and what both engines know about two sides that meet at a path.
package clash

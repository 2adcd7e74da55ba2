// Package owner tells who works on a run, and makes sure that it is one alone: by locks that living processes hold,
// and by claims in the journal that fence off whoever only slept.
package owner

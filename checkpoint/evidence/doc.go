// Package evidence searches the history for what the trailers of commits say about runs: results that were never recorded,
// commits that were rewritten, and runs that have no journal here.
package evidence

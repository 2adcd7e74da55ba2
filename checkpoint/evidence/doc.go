// Package evidence looks through the history for what the trailers of commits tell of runs: results that were never recorded,
// commits that were rewritten, and runs that have no journal here.
package evidence

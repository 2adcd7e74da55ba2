// Package evidence searches the commits for the trailers of runs. It finds results that were never recorded,
// commits that were rewritten, and runs that have no journal here.
package evidence

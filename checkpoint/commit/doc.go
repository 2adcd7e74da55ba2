// Package commit makes the commits of a run, with its trailers, safe against a kill at any point.
package commit

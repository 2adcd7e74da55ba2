// Package commit makes the commits of a run and adds the run's trailers. A kill at any point leaves the repository intact.
package commit

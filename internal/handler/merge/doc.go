// Package merge brings the work of a run to its base, and shows what it is.
package merge

// Package merge merges a run's work into its base, and shows what that work is.
package merge

// Package merge merges a run's work into its base, and shows that work for review.
package merge

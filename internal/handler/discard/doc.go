// Package discard discards runs without losing anything, and undoes what a person did.
package discard

// Package discard discards runs so that they can be restored, and undoes changes that a person made.
package discard

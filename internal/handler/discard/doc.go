// Package discard discards runs and keeps what is needed to restore them. It also undoes changes that a person made.
package discard

// Package record stores how far a discard has come, next to the discarded registration, so that the next step or an undo can continue.
package record
